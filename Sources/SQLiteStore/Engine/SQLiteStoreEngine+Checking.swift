import PersistenceRuntime
import PersistenceSupport
import SQLEngine

extension SQLiteStoreEngine {
  package func check(repairing: Bool, _ work: StoreWork) throws -> [StoreProblem] {
    guard allowsSave || !repairing else {
      throw SwiftDataError(
        .storeReadOnly,
        "The store at \(configuration.path) was opened without saving and cannot be repaired. Check it without repairs, "
          + "or open it with allowsSave.")
    }
    let problems = try withOwnConnection(forChanges: repairing) { connection in
      try connection.handle.working(on: work) {
        try connection.handle.check(CheckFunctions.register(on: connection.handle.pointer))
        let check = StoreCheck(connection, externalFolder: externalFolder, cipher: cipher, work: work)
        return try run(check, repairing: repairing)
      }
    }
    // The check used a connection outside of the pool, so its repairs count as commits of another process.
    if problems.contains(where: { $0.repair == .done }) { noteForeignChange() }
    return problems
  }

  /// Checks everything without the write lock. A repair then takes the lock and repeats steps with repairable problems.
  private func run(_ check: StoreCheck, repairing: Bool) throws -> [StoreProblem] {
    let definition = try DefinitionCheck(database: check.database)
    let steps: [any CheckStep] = [FileCheck(database: check.database), definition] + Self.steps(for: check)
    var logs: [ProblemLog] = []
    for step in steps {
      try check.work.advance(to: Int64(logs.count), of: Int64(steps.count))
      logs.append(try check.run(step))
    }
    var repairable = logs.indices.filter { logs[$0].hasRepairable }
    // A step that lacked a table was skipped. If a repair creates the table, the step can run, so all steps run again.
    if repairable.contains(where: { steps[$0] is DefinitionCheck }) { repairable = Array(logs.indices) }
    if repairing, !repairable.isEmpty {
      logs = try check.repairing {
        var logs = logs
        for index in repairable { logs[index] = try check.run(steps[index]) }
        return logs
      }
    }
    return logs.flatMap { $0.all() }
  }

  private static func steps(for check: StoreCheck) -> [any CheckStep] {
    let tables = check.database.tables.filter { !$0.isShared }
    let links = LinkCheck.all(of: check.database)
    var steps: [any CheckStep] = []
    steps += tables.map { ValueCheck($0) }
    steps += tables.compactMap { SealedValueCheck($0) }
    steps += tables.flatMap { ReferenceCheck.all(of: $0, in: check.database) }
    steps += links
    steps += PositionCheck.all(of: check.database)
    steps += check.database.tables.flatMap(\.spatialIndexes).map { SpatialIndexCheck(index: $0) }
    steps += [
      OriginalCheck(database: check.database), CounterCheck(database: check.database),
      ExternalFileCheck(database: check.database),
    ]
    return steps
  }
}
