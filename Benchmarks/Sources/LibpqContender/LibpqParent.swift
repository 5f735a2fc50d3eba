#if PostgreSQL
  import BenchmarkCore

  /// A parent in hand-written code.
  final class LibpqParent {
    var id: Int64
    var name: String
    var children: [LibpqChild] = []

    init(name: String) {
      id = 0
      self.name = name
    }

    /// Reads identifier and name.
    init(row: LibpqRow) {
      id = row.integer(0)
      name = row.text(1)
    }
  }

  /// A child in hand-written code. Its parent owns it.
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

    /// Reads identifier, name and number.
    init(row: LibpqRow, of parent: LibpqParent) {
      id = row.integer(0)
      name = row.text(1)
      number = Int(row.integer(2))
      self.parent = parent
    }
  }
#endif
