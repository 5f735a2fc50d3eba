import SwiftData

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Colours, used on a terminal unless NO_COLOR is set.
enum TerminalStyle: String {
  case heading = "1"
  case accent = "36"
  case faint = "2"

  func callAsFunction(_ text: String) -> String {
    Self.isColoured ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }

  private static let isColoured: Bool = {
    let environment = ProcessInfo.processInfo.environment
    guard environment["NO_COLOR", default: ""].isEmpty, environment["TERM"] != "dumb" else { return false }
    return isatty(STDOUT_FILENO) == 1
  }()
}
