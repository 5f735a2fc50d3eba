import BenchmarkCore
import CSQLiteBenchmark

/// The workloads with relationships in hand-written code. Statements are prepared before the time is measured.
final class RawGraphSession: GraphSession {
  private let connection: RawConnection

  init(_ connection: RawConnection) {
    self.connection = connection
  }

  func insert(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
    let parents = plan.makeParents().map { RawParent(name: $0) }
    let values = plan.makeChildren()
    let children = values.map { RawChild($0) }
    let insertParent = try connection.prepare("INSERT INTO parent(id, name) VALUES (?, ?)")
    let insertChild = try connection.prepare("INSERT INTO child(id, name, number, parent) VALUES (?, ?, ?, ?)")
    try stopwatch.measure {
      for (child, value) in zip(children, values) {
        child.parent = parents[value.parent]
        parents[value.parent].children.append(child)
      }
      try connection.transaction {
        for (index, parent) in parents.enumerated() {
          parent.id = Int64(index + 1)
          try insert(parent, with: insertParent)
        }
        for (index, child) in children.enumerated() {
          child.id = Int64(index + 1)
          try insert(child, with: insertChild)
        }
      }
    }
    return try checksum()
  }

  private func insert(_ parent: RawParent, with statement: RawStatement) throws {
    sqlite3_bind_int64(statement.handle, 1, parent.id)
    try parent.name.withUTF8 { name in
      RawText.bind(name, statement.handle, 2)
      try statement.run()
    }
  }

  private func insert(_ child: RawChild, with statement: RawStatement) throws {
    sqlite3_bind_int64(statement.handle, 1, child.id)
    sqlite3_bind_int64(statement.handle, 3, Int64(child.number))
    sqlite3_bind_int64(statement.handle, 4, child.parent?.id ?? 0)
    try child.name.withUTF8 { name in
      RawText.bind(name, statement.handle, 2)
      try statement.run()
    }
  }

  func toManyOneByOne(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
    let findParent = try connection.prepare("SELECT id, name FROM parent WHERE id = ?")
    let findChildren = try connection.prepare("SELECT id, name, number FROM child WHERE parent = ?")
    let identifiers = try connection.prepare("SELECT id FROM parent").fetchNumbers()
    var parents: [RawParent] = []
    try stopwatch.measure {
      for identifier in identifiers {
        findParent.bind(identifier)
        try findParent.forEachRow { parents.append(RawParent(row: $0)) }
        guard let parent = parents.last else { continue }
        findChildren.bind(identifier)
        try findChildren.forEachRow { parent.children.append(RawChild(row: $0, of: parent)) }
      }
    }
    return checksum(parents)
  }

  func toManyForAll(_ stopwatch: Stopwatch) throws -> Int {
    let loading = try loading()
    let (parents, sum) = try stopwatch.measure {
      let parents = try loading()
      return (parents, parents.reduce(0) { $0 &+ Checksum.ofNumbers($1.children) })
    }
    return checksum(parents) &+ sum
  }

  /// In hand-written code, the fastest way to load all children is also the simplest one.
  func toManyTraversal(_ stopwatch: Stopwatch) throws -> Int {
    try toManyForAll(stopwatch)
  }

  func delete(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
    let identifiers = try connection.prepare("SELECT id FROM parent ORDER BY id LIMIT \(plan.half)").fetchNumbers()
    let deleteChildren = try connection.prepare("DELETE FROM child WHERE parent = ?")
    let deleteParent = try connection.prepare("DELETE FROM parent WHERE id = ?")
    try stopwatch.measure {
      try connection.transaction {
        for identifier in identifiers {
          deleteChildren.bind(identifier)
          try deleteChildren.run()
          deleteParent.bind(identifier)
          try deleteParent.run()
        }
      }
    }
    return try checksum()
  }

  /// Returns a closure that reads both tables completely, and relates children to parents by a dictionary. This is the
  /// fastest of three ways. A join by the index on the reference reads the table in random order and takes twice as
  /// long, and sorting the children by the reference takes longer still.
  private func loading() throws -> () throws -> [RawParent] {
    let findParents = try connection.prepare("SELECT id, name FROM parent")
    let findChildren = try connection.prepare("SELECT id, name, number, parent FROM child")
    return {
      var parents: [RawParent] = []
      try findParents.forEachRow { parents.append(RawParent(row: $0)) }
      let parentsByIdentifier = Dictionary(uniqueKeysWithValues: parents.map { ($0.id, $0) })
      try findChildren.forEachRow { row in
        guard let parent = parentsByIdentifier[sqlite3_column_int64(row, 3)] else { return }
        parent.children.append(RawChild(row: row, of: parent))
      }
      return parents
    }
  }

  private func checksum() throws -> Int { checksum(try loading()()) }

  private func checksum(_ parents: [RawParent]) -> Int {
    parents.reduce(0) { $0 &+ Checksum.ofParent($1.name, $1.children) }
  }
}
