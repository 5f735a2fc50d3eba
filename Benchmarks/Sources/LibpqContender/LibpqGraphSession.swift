#if PostgreSQL
  import BenchmarkCore

  /// The workloads with relationships in hand-written code. Statements are prepared before the time is measured.
  final class LibpqGraphSession: GraphSession {
    private let connection: LibpqConnection

    init(_ connection: LibpqConnection) {
      self.connection = connection
    }

    func insert(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
      let parents = plan.makeParents().map { LibpqParent(name: $0) }
      let values = plan.makeChildren()
      let children = values.map { LibpqChild($0) }
      try stopwatch.measure {
        for (child, value) in zip(children, values) {
          child.parent = parents[value.parent]
          parents[value.parent].children.append(child)
        }
        try connection.execute("BEGIN")
        try insert(parents)
        try insert(children)
        try connection.execute("COMMIT")
      }
      return try checksum()
    }

    private func insert(_ parents: [LibpqParent]) throws {
      try connection.copy("COPY parent(id, name) FROM STDIN (FORMAT binary)") { copy in
        for (index, parent) in parents.enumerated() {
          parent.id = Int64(index + 1)
          try copy.beginRow(columns: 2)
          copy.append(parent.id)
          copy.append(&parent.name)
        }
      }
    }

    private func insert(_ children: [LibpqChild]) throws {
      try connection.copy("COPY child(id, name, number, parent) FROM STDIN (FORMAT binary)") { copy in
        for (index, child) in children.enumerated() {
          child.id = Int64(index + 1)
          try copy.beginRow(columns: 4)
          copy.append(child.id)
          copy.append(&child.name)
          copy.append(Int64(child.number))
          copy.append(child.parent?.id ?? 0)
        }
      }
    }

    /// Finds a parent and its children in one round trip, because the parent's identifier, which is known, finds both.
    func toManyOneByOne(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
      let findParent = try connection.prepare("SELECT id, name FROM parent WHERE id = $1", [.int8])
      let findChildren = try connection.prepare("SELECT id, name, number FROM child WHERE parent = $1", [.int8])
      let identifiers = try identifiers()
      var parents: [LibpqParent] = []
      try stopwatch.measure {
        for identifier in identifiers {
          findParent.bind(identifier, at: 0)
          findChildren.bind(identifier, at: 0)
          try connection.pipeline([findParent, findChildren]) { index, result in
            for row in 0..<result.count {
              guard index == 1, let parent = parents.last else {
                parents.append(LibpqParent(row: result.row(row)))
                continue
              }
              parent.children.append(LibpqChild(row: result.row(row), of: parent))
            }
          }
        }
      }
      return checksum(parents)
    }

    private func identifiers() throws -> [Int64] {
      let result = try connection.prepare("SELECT id FROM parent ORDER BY id").run()
      return (0..<result.count).map { result.row($0).integer(0) }
    }

    func toManyForAll(_ stopwatch: Stopwatch) throws -> Int {
      let (parents, sum) = try stopwatch.measure {
        let parents = try load()
        return (parents, parents.reduce(0) { $0 &+ Checksum.ofNumbers($1.children) })
      }
      return checksum(parents) &+ sum
    }

    /// In hand-written code, the fastest way to load all children is also the simplest one.
    func toManyTraversal(_ stopwatch: Stopwatch) throws -> Int {
      try toManyForAll(stopwatch)
    }

    func delete(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
      let identifiers = LibpqBytes.array(Array(try identifiers().prefix(plan.half)))
      let deleteChildren = try connection.prepare("DELETE FROM child WHERE parent = ANY($1)", [.int8Array])
      let deleteParents = try connection.prepare("DELETE FROM parent WHERE id = ANY($1)", [.int8Array])
      try stopwatch.measure {
        for statement in [deleteChildren, deleteParents] { statement.bind(identifiers, at: 0) }
        try connection.pipeline([deleteChildren, deleteParents])
      }
      return try checksum()
    }

    /// Reads both tables completely, and relates children to parents by a dictionary.
    private func load() throws -> [LibpqParent] {
      var parents: [LibpqParent] = []
      try connection.forEachRow("SELECT id, name FROM parent") { parents.append(LibpqParent(row: $0)) }
      let parentsByIdentifier = Dictionary(uniqueKeysWithValues: parents.map { ($0.id, $0) })
      try connection.forEachRow("SELECT id, name, number, parent FROM child") { row in
        guard let parent = parentsByIdentifier[row.integer(3)] else { return }
        parent.children.append(LibpqChild(row: row, of: parent))
      }
      return parents
    }

    private func checksum() throws -> Int { checksum(try load()) }

    private func checksum(_ parents: [LibpqParent]) -> Int {
      parents.reduce(0) { $0 &+ Checksum.ofParent($1.name, $1.children) }
    }
  }
#endif
