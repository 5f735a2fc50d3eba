import SwiftData

/// Turns the tables of the tz database into models.
struct WorldImport {
  let database: TimeZoneDatabase

  /// Imports everything with one save: all of it is stored, or nothing.
  func run(in context: ModelContext) throws {
    let countries = try database.countries().map { Country(code: $0.code, name: $0.name) }
    let byCode = Dictionary(countries.map { ($0.code, $0) }) { first, _ in first }
    for country in countries { context.insert(country) }
    for line in try database.zones() { try insert(line, countries: byCode, in: context) }
    for country in countries { country.zoneCount = country.zones.count }
    try context.save()
  }

  private func insert(
    _ line: TimeZoneDatabase.ZoneLine, countries: [String: Country], in context: ModelContext
  ) throws {
    let zone = TimeZone(
      name: line.name, coordinates: line.coordinates, utcOffset: standardOffset(of: line.name), comment: line.comment)
    context.insert(zone)
    zone.countries = try line.countryCodes.map { code in
      guard let country = countries[code] else { throw AtlasError.unknownCountry(code: code, zone: line.name) }
      return country
    }
    zone.homeCountry = zone.countries.first
    // Completes the other side; a country that has the zone already stays as it is.
    for country in zone.countries where !country.zones.contains(zone) { country.zones.append(zone) }
  }

  /// Seconds east of Greenwich, without daylight saving time.
  private func standardOffset(of name: String) -> Int? {
    guard let zone = Foundation.TimeZone(identifier: name) else { return nil }
    let now = Date()
    return zone.secondsFromGMT(for: now) - Int(zone.daylightSavingTimeOffset(for: now))
  }
}
