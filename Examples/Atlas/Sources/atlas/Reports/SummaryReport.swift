import SwiftData

/// Counts, which the store computes without creating an object.
struct SummaryReport {
  let path: String

  func print(from context: ModelContext) throws {
    let southern = Hemisphere.southern
    let countries = try context.fetchCount(FetchDescriptor<Country>())
    let zones = try context.fetchCount(FetchDescriptor<TimeZone>())
    let south = try context.fetchCount(FetchDescriptor<TimeZone>(predicate: #Predicate { $0.hemisphere == southern }))
    let without = try context.fetchCount(FetchDescriptor<Country>(predicate: #Predicate { $0.zoneCount == 0 }))
    Swift.print(TerminalStyle.heading("Atlas") + " " + TerminalStyle.faint(path))
    Swift.print(
      "\(countries) countries, \(without) of them without a time zone; "
        + "\(zones) time zones, \(south) of them south of the equator.")
  }
}
