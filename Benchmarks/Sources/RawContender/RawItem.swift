import BenchmarkCore
import CSQLiteBenchmark
import Foundation

/// An item as hand-written code has it: typed fields in an object.
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

  /// Reads the row that the statement stands at.
  init(row: OpaquePointer) {
    id = sqlite3_column_int64(row, 0)
    name = Self.text(row, 1) ?? ""
    title = Self.text(row, 2) ?? ""
    body = Self.text(row, 3) ?? ""
    count = Int(sqlite3_column_int64(row, 4))
    score = sqlite3_column_double(row, 5)
    created = Date(timeIntervalSinceReferenceDate: sqlite3_column_double(row, 6))
    note = Self.text(row, 7)
  }

  /// Binds everything but the identifier and runs the statement while the texts' bytes are in place, which spares
  /// SQLite a copy of each.
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
            Self.bind(name, handle, 1)
            Self.bind(title, handle, 2)
            Self.bind(body, handle, 3)
            if hasNote { Self.bind(note, handle, 7) } else { sqlite3_bind_null(handle, 7) }
            try statement.run()
          }
        }
      }
    }
  }

  @inline(__always)
  private static func bind(_ text: UnsafeBufferPointer<UInt8>, _ handle: OpaquePointer, _ index: Int32) {
    let bytes = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
    sqlite3_bind_text(handle, index, bytes, Int32(text.count), nil)
  }

  @inline(__always)
  private static func text(_ row: OpaquePointer, _ column: Int32) -> String? {
    guard let bytes = sqlite3_column_text(row, column) else { return nil }
    let count = Int(sqlite3_column_bytes(row, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
