import BenchmarkCore
import CSQLiteBenchmark
import Foundation

/// An item as a structure, with the columns of ``RawItem``.
struct RawItemValue: ItemFields {
  var id: Int64
  var name: String
  var title: String
  var body: String
  var count: Int
  var score: Double
  var created: Date
  var note: String?

  /// Reads the current row of the statement.
  @inline(__always)
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
}
