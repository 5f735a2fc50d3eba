import Foundation

/// A plan with all its values. A contender in another language reads them from a file.
public struct ExportedPlan: Encodable {
  private let plan: WorkPlan

  public init(_ plan: WorkPlan) {
    self.plan = plan
  }

  private enum Keys: String, CodingKey {
    case items, wideRanges, narrowRanges, emptyRanges, counts, openings, saves, clients, savesOfEachClient, limit, half
    case order, groupSize, parents, children, halfOfParents, repetitions
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Keys.self)
    try values.encode(plan.makeItems().map(ItemRow.init), forKey: .items)
    let ranges: [(Keys, [Range<Int>])] = [
      (.wideRanges, plan.wideRanges), (.narrowRanges, plan.narrowRanges), (.emptyRanges, plan.emptyRanges),
    ]
    for (key, ranges) in ranges {
      try values.encode(ranges.map { [$0.lowerBound, $0.upperBound] }, forKey: key)
    }
    let numbers: [(Keys, Int)] = [
      (.counts, plan.counts), (.openings, plan.openings), (.saves, plan.saves), (.clients, plan.clients),
      (.savesOfEachClient, plan.savesOfEachClient), (.limit, plan.limit), (.half, plan.half),
      (.groupSize, plan.groupSize), (.halfOfParents, plan.graph.half),
    ]
    for (key, number) in numbers { try values.encode(number, forKey: key) }
    try values.encode(plan.shuffled(Array(0..<plan.rows)), forKey: .order)
    try values.encode(plan.graph.makeParents(), forKey: .parents)
    try values.encode(plan.graph.makeChildren().map(ChildRow.init), forKey: .children)
    let repetitions = Workload.allCases.map { ($0.rawValue, $0.repetitions) }
    try values.encode(Dictionary(uniqueKeysWithValues: repetitions), forKey: .repetitions)
  }
}

/// The values of an item, encoded as a list, because a list is read fastest.
private struct ItemRow: Encodable {
  let values: ItemValues

  func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    for text in [values.name, values.title, values.body] { try list.encode(text) }
    try list.encode(values.count)
    try list.encode(values.score)
    try list.encode(values.created.timeIntervalSinceReferenceDate)
    try list.encode(values.note)
  }
}

/// The values of a child, encoded as a list.
private struct ChildRow: Encodable {
  let values: ChildValues

  func encode(to encoder: any Encoder) throws {
    var list = encoder.unkeyedContainer()
    try list.encode(values.name)
    try list.encode(values.number)
    try list.encode(values.parent)
  }
}
