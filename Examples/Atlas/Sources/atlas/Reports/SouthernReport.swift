import SwiftData

/// The zones south of the equator, by their local time.
struct SouthernReport {
  func print(from context: ModelContext) throws {
    let southern = Hemisphere.southern
    let zones = try context.fetch(
      FetchDescriptor<TimeZone>(
        predicate: #Predicate { $0.hemisphere == southern && $0.utcOffset != nil },
        sortBy: [SortDescriptor(\.utcOffset), SortDescriptor(\.name)]))
    var table = TextTable(
      title: "South of the equator, by standard time",
      columns: [
        .init(title: "UTC", alignment: .right, style: .accent), .init(title: "Zones", alignment: .right),
        .init(title: "Among them"), .init(title: "Where"),
      ])
    table.rows = groups(of: zones).compactMap(row)
    table.print()
  }

  /// Groups neighbours with the same offset; the store has sorted them already.
  private func groups(of zones: [TimeZone]) -> [ArraySlice<TimeZone>] {
    var groups: [ArraySlice<TimeZone>] = []
    var start = 0
    for index in zones.indices where index + 1 == zones.count || zones[index + 1].utcOffset != zones[index].utcOffset {
      groups.append(zones[start...index])
      start = index + 1
    }
    return groups
  }

  private func row(for group: ArraySlice<TimeZone>) -> [String]? {
    guard let first = group.first else { return nil }
    return [
      "\(UTCOffset(seconds: first.utcOffset))", "\(group.count)", "\(first.name), \(first.homeCountry?.name ?? "?")",
      "\(first.coordinates)",
    ]
  }
}
