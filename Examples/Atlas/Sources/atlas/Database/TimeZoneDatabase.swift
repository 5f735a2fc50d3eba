import SwiftData

/// The tables of the tz database in a folder.
struct TimeZoneDatabase {
  /// A line of `iso3166.tab`.
  struct CountryLine {
    let code: String
    let name: String
  }

  /// A line of `zone1970.tab`.
  struct ZoneLine {
    let countryCodes: [String]
    let coordinates: Coordinates
    let name: String
    let comment: String?
  }

  let folder: URL

  /// The database of the system, or the one that TZDIR points to.
  static var system: TimeZoneDatabase {
    let path = ProcessInfo.processInfo.environment["TZDIR"] ?? ""
    return TimeZoneDatabase(folder: URL(filePath: path.isEmpty ? "/usr/share/zoneinfo" : path))
  }

  func countries() throws -> [CountryLine] {
    try table("iso3166.tab").map { line in
      guard line.fields.count == 2, line.fields[0].count == 2 else { throw line.malformed }
      return CountryLine(code: String(line.fields[0]), name: String(line.fields[1]))
    }
  }

  func zones() throws -> [ZoneLine] {
    try table("zone1970.tab").map { line in
      guard (3...4).contains(line.fields.count), let coordinates = Coordinates(iso6709: line.fields[1]) else {
        throw line.malformed
      }
      return ZoneLine(
        countryCodes: line.fields[0].split(separator: ",").map(String.init), coordinates: coordinates,
        name: String(line.fields[2]), comment: line.fields.count == 4 ? String(line.fields[3]) : nil)
    }
  }

  private func table(_ name: String) throws -> [TableLine] {
    let path = folder.appending(path: name).path(percentEncoded: false)
    guard let data = FileManager.default.contents(atPath: path) else { throw AtlasError.tableMissing(path: path) }
    return TableLine.lines(of: String(decoding: data, as: UTF8.self), path: path)
  }
}
