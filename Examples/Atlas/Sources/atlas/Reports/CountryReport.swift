import SwiftData

/// The countries with the most time zones.
struct CountryReport {
  let limit: Int

  func print(from context: ModelContext) throws {
    var descriptor = FetchDescriptor<Country>(
      predicate: #Predicate { $0.zoneCount > 1 },
      sortBy: [SortDescriptor(\.zoneCount, order: .reverse), SortDescriptor(\.name)])
    descriptor.fetchLimit = limit
    var table = TextTable(
      title: "Countries with the most time zones",
      columns: [
        .init(title: "Code", style: .accent), .init(title: "Country"), .init(title: "Zones", alignment: .right),
        .init(title: ""), .init(title: "From", alignment: .right), .init(title: "To", alignment: .right),
      ])
    table.rows = try context.fetch(descriptor).map(row)
    table.print()
  }

  private func row(for country: Country) -> [String] {
    let offsets = country.zones.compactMap(\.utcOffset)
    return [
      country.code, country.name, "\(country.zoneCount)", String(repeating: "▪", count: country.zoneCount),
      "\(UTCOffset(seconds: offsets.min()))", "\(UTCOffset(seconds: offsets.max()))",
    ]
  }
}
