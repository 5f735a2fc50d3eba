import Foundation

/// One run of a contender's workloads, in a new database.
public struct Round {
  let contender: any Contender
  let plan: WorkPlan
  let file: URL
  private let mostRepetitions: Int
  let server: DatabaseServer?

  /// Creates a round that repeats each workload as often as the workload specifies, but at most `mostRepetitions`
  /// times.
  /// - Parameter server: The server on which the database is, or nil if the database is a file.
  public init(
    of contender: any Contender, plan: WorkPlan, file: URL, mostRepetitions: Int = .max, server: DatabaseServer? = nil
  ) {
    self.server = server
    self.contender = contender
    self.plan = plan
    self.file = file
    self.mostRepetitions = max(1, mostRepetitions)
  }

  /// Runs the requested workloads. The rows that they need are always inserted. Then the database is reopened, so that
  /// no workload benefits from pages that the insertion left in memory.
  public func run(_ workloads: Set<Workload>) throws -> RoundReport {
    contender.prepareProcess()
    let results = try runItems(workloads) + runGraph(workloads)
    return RoundReport(
      results: results.filter { workloads.contains($0.workload) },
      peakMemory: PeakMemory.ofThisProcess()
    )
  }

  private func runItems(_ workloads: Set<Workload>) throws -> [WorkloadResult] {
    guard workloads.contains(where: { !$0.isOfGraph }) else { return [] }
    var results = [try result(.insert) { try contender.create(file).insert(plan.makeItems(), $0) }]
    try server?.settle()
    if workloads.contains(.open) {
      results.append(try result(.open, work: openAgainAndAgain))
    }
    let session = try contender.open(file)
    for workload in Workload.allCases where workloads.contains(workload) && !workload.isOfGraph {
      guard workload != .insert, workload != .open else { continue }
      do {
        results.append(try result(workload) { try run(workload, in: session, $0) })
      } catch is NotOffered {
        continue
      }
    }
    return results
  }

  /// Runs the work as often as the workload specifies, and throws if the checksum is not the same each time.
  func result(_ workload: Workload, work: (Stopwatch) throws -> Int) throws -> WorkloadResult {
    let stopwatch = Stopwatch(server: server?.processes)
    let checksum = try work(stopwatch)
    for _ in 1..<min(workload.repetitions, mostRepetitions) where try work(stopwatch) != checksum {
      throw RoundError.unsteady(workload)
    }
    return WorkloadResult(workload: workload, samples: stopwatch.samples, checksum: checksum)
  }

  private func openAgainAndAgain(_ stopwatch: Stopwatch) throws -> Int {
    try stopwatch.measure {
      try plan.wideRanges.prefix(plan.openings).reduce(0) { sum, range in
        try sum &+ contender.open(file).firstRows(of: range, limit: plan.limit)
      }
    }
  }

  private func run(_ workload: Workload, in session: any ContenderSession, _ stopwatch: Stopwatch) throws -> Int {
    switch workload {
    case .insert, .open: preconditionFailure("\(workload) works without an open session")
    case .fetchAll: try session.fetchAll(stopwatch)
    case .fetchAndFree: try session.fetchAndFree(stopwatch)
    case .fetchValues: try session.fetchValues(stopwatch)
    case .readThreeFields: try session.readThreeFields(stopwatch)
    case .rangeInIndexOrder: try session.rangeInIndexOrder(plan, stopwatch)
    case .rangeSortedByName: try session.rangeSortedByName(plan, stopwatch)
    case .lookUpCold: try session.lookUpCold(plan, stopwatch)
    case .lookUpRegistered: try session.lookUpRegistered(plan, inOrder: false, stopwatch)
    case .lookUpInOrder: try session.lookUpRegistered(plan, inOrder: true, stopwatch)
    case .identifiersInSet: try session.identifiersInSet(plan, stopwatch)
    case .countRange: try session.countRange(plan, stopwatch)
    case .countAll: try session.countAll(plan, stopwatch)
    case .findNone: try session.findNone(plan, byPredicate: false, stopwatch)
    case .findNoneByPredicate: try session.findNone(plan, byPredicate: true, stopwatch)
    case .update: try session.update(plan, stopwatch)
    case .saveAlone: try session.saveOne(plan, afterOther: false, stopwatch)
    case .saveAfterOther: try session.saveOne(plan, afterOther: true, stopwatch)
    case .saveWithRecord: try session.saveWithRecord(plan, stopwatch)
    case .lookUpInGroups: try onServer(session).lookUpInGroups(plan, stopwatch)
    case .saveByClients: try onServer(session).saveByClients(plan, stopwatch)
    case .delete: try session.delete(plan, stopwatch)
    case .insertGraph, .toManyOneByOne, .toManyForAll, .toManyTraversal, .deleteGraph:
      preconditionFailure("\(workload) works on parents and children")
    }
  }
}

extension Round {
  private func onServer(_ session: any ContenderSession) throws -> any ServerSession {
    guard let session = session as? any ServerSession else { throw NotOffered() }
    return session
  }
}

/// An error that makes a round invalid.
public enum RoundError: Error, CustomStringConvertible {
  /// A workload returned another checksum when it was repeated.
  case unsteady(Workload)

  public var description: String {
    switch self {
    case .unsteady(let workload): "\(workload.rawValue) gave different results when it was repeated"
    }
  }
}
