import Foundation

extension Round {
  /// Runs the requested workloads of parents and children, in a database of their own.
  func runGraph(_ workloads: Set<Workload>) throws -> [WorkloadResult] {
    guard workloads.contains(where: \.isOfGraph) else { return [] }
    let file = file.deletingLastPathComponent().appendingPathComponent("graph.store")
    var results = [try result(.insertGraph) { try contender.createGraph(file).insert(plan.graph, $0) }]
    try server?.settle()
    let session = try contender.openGraph(file)
    for workload in Workload.allCases where workloads.contains(workload) && workload.isOfGraph {
      guard workload != .insertGraph else { continue }
      results.append(try result(workload) { try run(workload, in: session, $0) })
    }
    return results
  }

  private func run(_ workload: Workload, in session: any GraphSession, _ stopwatch: Stopwatch) throws -> Int {
    switch workload {
    case .toManyOneByOne: try session.toManyOneByOne(plan.graph, stopwatch)
    case .toManyForAll: try session.toManyForAll(stopwatch)
    case .toManyTraversal: try session.toManyTraversal(stopwatch)
    case .deleteGraph: try session.delete(plan.graph, stopwatch)
    default: preconditionFailure("\(workload) works on items, or without an open session")
    }
  }
}
