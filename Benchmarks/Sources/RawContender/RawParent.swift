import BenchmarkCore
import CSQLiteBenchmark

/// A parent in hand-written code.
final class RawParent {
  var id: Int64
  var name: String
  var children: [RawChild] = []

  init(name: String) {
    id = 0
    self.name = name
  }

  /// Reads the current row of the statement: identifier and name.
  init(row: OpaquePointer) {
    id = sqlite3_column_int64(row, 0)
    name = RawText.read(row, 1) ?? ""
  }
}

/// A child in hand-written code. Its parent owns it.
final class RawChild: ChildFields {
  var id: Int64
  var name: String
  var number: Int
  unowned(unsafe) var parent: RawParent?

  init(_ values: ChildValues) {
    id = 0
    name = values.name
    number = values.number
  }

  /// Reads the current row of the statement: identifier, name and number.
  init(row: OpaquePointer, of parent: RawParent) {
    id = sqlite3_column_int64(row, 0)
    name = RawText.read(row, 1) ?? ""
    number = Int(sqlite3_column_int64(row, 2))
    self.parent = parent
  }
}
