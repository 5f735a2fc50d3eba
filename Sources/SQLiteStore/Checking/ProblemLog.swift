import PersistenceRuntime
import PersistenceSupport

/// The problems that a check has found. If very many values of one column have the same problem, only some are listed.
struct ProblemLog {
  /// How many problems of one kind in one column are listed. Further problems are only counted.
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
  /// The kinds, tables and columns of the problems, in the order in which they were found.
  private var order: [Place] = []

  init(store: String) {
    self.store = store
  }

  /// True if a repair could repair at least one of the problems.
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

  /// All problems. If a column has too many problems of one kind, a last entry reports how many more there are.
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
