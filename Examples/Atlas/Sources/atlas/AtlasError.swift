import SwiftData

/// The errors of the program, with what to do.
enum AtlasError: Error, Equatable {
  case tableMissing(path: String)
  case malformedLine(path: String, line: Int, text: String)
  case unknownCountry(code: String, zone: String)
  case alreadyImported(store: String)
  case nothingImported(store: String)
}

extension AtlasError: LocalizedError {
  var errorDescription: String? {
    switch self {
    case .tableMissing(let path):
      """
      The time zone database is not there: \(path) cannot be read.
      Install it (Debian, Ubuntu: apt-get install tzdata), or set TZDIR to the folder that holds iso3166.tab.
      """
    case .malformedLine(let path, let line, let text):
      "\(path), line \(line), is not what the tz database has there: \"\(text)\". Nothing was imported."
    case .unknownCountry(let code, let zone):
      "\(zone) is in the country \(code), which iso3166.tab does not list. Nothing was imported."
    case .alreadyImported(let store):
      "\(store) holds the atlas already. Use --replace to read it again."
    case .nothingImported(let store):
      "There is no atlas in \(store) yet. Run `atlas import` first."
    }
  }
}
