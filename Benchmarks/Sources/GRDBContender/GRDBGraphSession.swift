import BenchmarkCore
import GRDB

/// The workloads with relationships through GRDB's associations.
final class GRDBGraphSession: GraphSession {
  private let queue: DatabaseQueue

  init(_ queue: DatabaseQueue) {
    self.queue = queue
  }

  func insert(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
    let parents = plan.makeParents().map { GRDBParent(name: $0) }
    let values = plan.makeChildren()
    let children = values.map { GRDBChild($0) }
    try stopwatch.measure {
      try queue.write { database in
        for parent in parents { try parent.insert(database) }
        for (child, value) in zip(children, values) {
          child.parent = parents[value.parent].id
          try child.insert(database)
        }
      }
    }
    return try checksum()
  }

  func toManyOneByOne(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
    let identifiers = try queue.read { try Int64.fetchAll($0, GRDBParent.select(Column("id"))) }
    let families = try stopwatch.measure {
      try identifiers.compactMap { identifier in
        try queue.read { database in
          try GRDBParent.fetchOne(database, key: identifier).map { try self.family(of: $0, in: database) }
        }
      }
    }
    return checksum(families)
  }

  /// Fetches parents and children with two requests and relates them by a dictionary. This takes a fifth of the time of
  /// `including(all:)`, which does the same.
  func toManyForAll(_ stopwatch: Stopwatch) throws -> Int {
    let (families, sum) = try stopwatch.measure {
      let families = try allFamilies()
      return (families, families.reduce(0) { $0 &+ Checksum.ofNumbers($1.children) })
    }
    return checksum(families) &+ sum
  }

  /// GRDB does not record which objects were fetched together. So code without prefetching fetches the children of each
  /// parent with a query of its own.
  func toManyTraversal(_ stopwatch: Stopwatch) throws -> Int {
    let (families, sum) = try stopwatch.measure {
      let families = try queue.read { database in
        try GRDBParent.fetchAll(database).map { try self.family(of: $0, in: database) }
      }
      return (families, families.reduce(0) { $0 &+ Checksum.ofNumbers($1.children) })
    }
    return checksum(families) &+ sum
  }

  func delete(_ plan: GraphPlan, _ stopwatch: Stopwatch) throws -> Int {
    let parents = try queue.read { try GRDBParent.order(Column("id")).limit(plan.half).fetchAll($0) }
    try stopwatch.measure {
      try queue.write { database in
        for parent in parents { try parent.delete(database) }
      }
    }
    return try checksum()
  }

  private func family(of parent: GRDBParent, in database: Database) throws -> GRDBFamily {
    let children = try GRDBChild.filter(Column("parent") == parent.id).fetchAll(database)
    return GRDBFamily(parent: parent, children: children)
  }

  private func allFamilies() throws -> [GRDBFamily] {
    try queue.read { database in
      let parents = try GRDBParent.fetchAll(database)
      let children = Dictionary(grouping: try GRDBChild.fetchAll(database), by: \.parent)
      return parents.map { GRDBFamily(parent: $0, children: children[$0.id] ?? []) }
    }
  }

  private func checksum() throws -> Int { checksum(try allFamilies()) }

  private func checksum(_ families: [GRDBFamily]) -> Int {
    families.reduce(0) { $0 &+ Checksum.ofParent($1.parent.name, $1.children) }
  }
}
