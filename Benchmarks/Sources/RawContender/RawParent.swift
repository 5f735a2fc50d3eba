import BenchmarkCore
import CSQLiteBenchmark

/// The hand-written class of a parent.
final class RawParent {
  var id: Int64
  var name: String
  var children: [RawChild] = []

  init(name: String) {
    id = 0
    self.name = name
  }

  /// Reads the identifier and the name from the current row of the statement.
  init(row: OpaquePointer) {
    id = sqlite3_column_int64(row, 0)
    name = RawText.read(row, 1) ?? ""
  }
}

/// The hand-written class of a child. The parent retains its children.
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

  /// Reads the identifier, the name and the number from the current row of the statement.
  init(row: OpaquePointer, of parent: RawParent) {
    id = sqlite3_column_int64(row, 0)
    name = RawText.read(row, 1) ?? ""
    number = Int(sqlite3_column_int64(row, 2))
    self.parent = parent
  }
}
