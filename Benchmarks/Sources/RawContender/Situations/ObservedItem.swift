import CSQLiteBenchmark
import Foundation
import Observation

/// The fields of an item in a class whose properties can be observed, as those of a model can.
@Observable
final class ObservedItem {
  var name: String
  var title: String
  var body: String
  var count: Int
  var score: Double
  var created: Date
  var note: String?

  /// Reads the current row of a statement that selects ``RawItem/columns``.
  init(row: OpaquePointer) {
    name = RawText.read(row, 1) ?? ""
    title = RawText.read(row, 2) ?? ""
    body = RawText.read(row, 3) ?? ""
    count = Int(sqlite3_column_int64(row, 4))
    score = sqlite3_column_double(row, 5)
    created = Date(timeIntervalSinceReferenceDate: sqlite3_column_double(row, 6))
    note = RawText.read(row, 7)
  }
}
