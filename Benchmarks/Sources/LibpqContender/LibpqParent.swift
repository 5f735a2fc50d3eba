#if PostgreSQL
  import BenchmarkCore

  /// The hand-written class of a parent.
  final class LibpqParent {
    var id: Int64
    var name: String
    var children: [LibpqChild] = []

    init(name: String) {
      id = 0
      self.name = name
    }

    /// Reads the identifier and the name from the row.
    init(row: LibpqRow) {
      id = row.integer(0)
      name = row.text(1)
    }
  }

  /// The hand-written class of a child. The parent retains its children.
  final class LibpqChild: ChildFields {
    var id: Int64
    var name: String
    var number: Int
    unowned(unsafe) var parent: LibpqParent?

    init(_ values: ChildValues) {
      id = 0
      name = values.name
      number = values.number
    }

    /// Reads the identifier, the name and the number from the row.
    init(row: LibpqRow, of parent: LibpqParent) {
      id = row.integer(0)
      name = row.text(1)
      number = Int(row.integer(2))
      self.parent = parent
    }
  }
#endif
