import SwiftData

/// The countries and zones with a text in their names.
struct SearchReport {
  let text: String

  func print(from context: ModelContext) throws {
    try countryTable(from: context).print()
    try zoneTable(from: context).print()
  }

  private func countryTable(from context: ModelContext) throws -> TextTable {
    let wanted = text.searchForm
    let code = text.uppercased()
    let found = try context.fetch(
      FetchDescriptor<Country>(
        predicate: #Predicate { $0.searchName.contains(wanted) || $0.code == code },
        sortBy: [SortDescriptor(\.searchName)]))
    var table = TextTable(
      title: "Countries with “\(text)”",
      columns: [.init(title: "Code", style: .accent), .init(title: "Country"), .init(title: "Time zone")])
    table.rows = found.map { [$0.code, $0.name, $0.zones.first?.name ?? "–"] }
    return table
  }

  private func zoneTable(from context: ModelContext) throws -> TextTable {
    let wanted = text.searchForm
    let found = try context.fetch(
      FetchDescriptor<TimeZone>(
        predicate: #Predicate { $0.searchName.contains(wanted) }, sortBy: [SortDescriptor(\.name)]))
    var table = TextTable(
      title: "Time zones with “\(text)”",
      columns: [
        .init(title: "Zone", style: .accent), .init(title: "UTC", alignment: .right), .init(title: "Countries"),
      ])
    table.rows = found.map { zone in
      [zone.name, "\(UTCOffset(seconds: zone.utcOffset))", zone.countries.map(\.name).joined(separator: ", ")]
    }
    return table
  }
}
