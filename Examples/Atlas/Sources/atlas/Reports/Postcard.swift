import SwiftData

/// A saved change: a visit to the least visited country.
struct Postcard {
  func send(from context: ModelContext) throws {
    var descriptor = FetchDescriptor<Country>(
      predicate: #Predicate { $0.zoneCount > 0 }, sortBy: [SortDescriptor(\.visitCount), SortDescriptor(\.name)])
    descriptor.fetchLimit = 1
    guard let country = try context.fetch(descriptor).first else { return }
    country.visitCount += 1
    country.lastVisit = Date()
    try context.save()
    print("\n" + TerminalStyle.heading("Saved: a postcard from \(country.name)"))
    try confirm(country, in: ModelContext(context.container))
  }

  /// Reads the store with a context of its own, which shares no objects with the first.
  private func confirm(_ country: Country, in context: ModelContext) throws {
    let stored: Country = try context.existingModel(for: country.persistentModelID)
    let visited = try context.fetchCount(FetchDescriptor<Country>(predicate: #Predicate { $0.visitCount > 0 }))
    let zone = stored.zones.first
    let place = zone.map { "\($0.coordinates), in \($0.name)" } ?? "an unknown place"
    print("It is \(localTime(in: zone)) at \(place).")
    print("A second context reads visit \(stored.visitCount) back. Countries visited so far: \(visited).")
  }

  private func localTime(in zone: TimeZone?) -> String {
    guard let zone, let foundationZone = Foundation.TimeZone(identifier: zone.name) else { return "some hour" }
    var style = Date.VerbatimFormatStyle(
      format: "\(hour: .twoDigits(clock: .twentyFourHour, hourCycle: .zeroBased)):\(minute: .twoDigits)",
      timeZone: foundationZone, calendar: Calendar(identifier: .gregorian))
    style.locale = Locale(identifier: "en_US_POSIX")
    return Date().formatted(style)
  }
}
