import SwiftData

/// Prints what an import has stored.
struct ImportReport {
  let path: String

  func print(from context: ModelContext) throws {
    let countries = try context.fetchCount(FetchDescriptor<Country>())
    let zones = try context.fetchCount(FetchDescriptor<TimeZone>())
    Swift.print(TerminalStyle.heading("Imported \(countries) countries and \(zones) time zones."))
    Swift.print("They are in \(path). Run the same command again to open it.")
  }
}
