import BenchmarkCore
import CSQLiteBenchmark
import Foundation

/// The hand-written class of an item, with a typed field for each column.
final class RawItem: ItemFields {
  /// The columns in the order in which ``init(row:)`` reads them.
  static let columns = "id, name, title, body, count, score, created, note"

  var id: Int64
  var name: String
  var title: String
  var body: String
  var count: Int
  var score: Double
  var created: Date
  var note: String?

  init(_ values: ItemValues) {
    id = 0
    name = values.name
    title = values.title
    body = values.body
    count = values.count
    score = values.score
    created = values.created
    note = values.note
  }

  /// Reads the current row of the statement.
  init(row: OpaquePointer) {
    id = sqlite3_column_int64(row, 0)
    name = RawText.read(row, 1) ?? ""
    title = RawText.read(row, 2) ?? ""
    body = RawText.read(row, 3) ?? ""
    count = Int(sqlite3_column_int64(row, 4))
    score = sqlite3_column_double(row, 5)
    created = Date(timeIntervalSinceReferenceDate: sqlite3_column_double(row, 6))
    note = RawText.read(row, 7)
  }

  /// Binds everything except the identifier, and runs the statement while the pointers to the texts are valid, so that
  /// SQLite need not copy the texts.
  func insert(with statement: RawStatement) throws {
    let handle = statement.handle
    sqlite3_bind_int64(handle, 4, Int64(count))
    sqlite3_bind_double(handle, 5, score)
    sqlite3_bind_double(handle, 6, created.timeIntervalSinceReferenceDate)
    var texts = (name, title, body, note ?? "")
    let hasNote = note != nil
    try texts.0.withUTF8 { name in
      try texts.1.withUTF8 { title in
        try texts.2.withUTF8 { body in
          try texts.3.withUTF8 { note in
            RawText.bind(name, handle, 1)
            RawText.bind(title, handle, 2)
            RawText.bind(body, handle, 3)
            if hasNote { RawText.bind(note, handle, 7) } else { sqlite3_bind_null(handle, 7) }
            try statement.run()
          }
        }
      }
    }
  }
}
