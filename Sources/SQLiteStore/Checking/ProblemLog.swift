import PersistenceRuntime
import PersistenceSupport

/// The findings of a check, abbreviated if very many values of one column have the same problem.
struct ProblemLog {
  /// The number of problems of one kind in one column that are listed. Further problems are only counted.
  static let mostAlike = 1_000

  private struct Place: Hashable {
    let kind: StoreProblem.Kind
    let table: String?
    let column: String?
    let repair: StoreProblem.Repair
  }

  private let store: String
  private var problems: [StoreProblem] = []
  private var counts: [Place: Int] = [:]
  /// The tables and columns with problems, in the order of discovery.
  private var order: [Place] = []

  init(store: String) {
    self.store = store
  }

  /// Whether a repair could repair at least one problem.
  var hasRepairable: Bool { order.contains { $0.repair == .possible } }

  mutating func add(
    _ kind: StoreProblem.Kind, entity: String? = nil, table: String? = nil, key: Int64? = nil, column: String? = nil,
    value: String? = nil, _ explanation: String, advice: String, repair: StoreProblem.Repair
  ) {
    let place = Place(kind: kind, table: table, column: column, repair: repair)
    let count = counts[place, default: 0]
    counts[place] = count + 1
    if count == 0 { order.append(place) }
    guard count < Self.mostAlike else { return }
    problems.append(
      StoreProblem(
        kind, store: store, entity: entity, table: table, key: key, column: column, value: value, explanation,
        advice: advice, repair: repair))
  }

  /// All problems. If a column has too many, one further problem represents the problems that were only counted.
  func all() -> [StoreProblem] {
    problems
      + order.compactMap { place in
        let rest = counts[place, default: 0] - Self.mostAlike
        guard rest > 0,
          let example = problems.last(where: { $0.isAlike(place.kind, place.table, place.column, place.repair) })
        else { return nil }
        return StoreProblem(
          place.kind, store: store, entity: example.entity, table: place.table, column: place.column, count: rest,
          "\(rest) more are like the \(Self.mostAlike) before", advice: example.advice, repair: place.repair)
      }
  }
}

extension StoreProblem {
  fileprivate func isAlike(_ kind: Kind, _ table: String?, _ column: String?, _ repair: Repair) -> Bool {
    self.kind == kind && self.table == table && self.column == column && self.repair == repair
  }
}
