import Foundation

extension SwiftDataError: CustomStringConvertible {
  public var description: String {
    var text = "SwiftDataError.\(kind.rawValue)"
    if let explanation { text += ": \(explanation)" }
    if let underlyingError { text += " (cause: \(underlyingError))" }
    return text
  }
}

extension SwiftDataError: LocalizedError {
  public var errorDescription: String? {
    explanation ?? "SwiftData error: \(kind.rawValue)"
  }
}
