import Foundation

extension SwiftDataError: CustomStringConvertible {
  /// The kind, the explanation and the cause.
  public var description: String {
    var text = "SwiftDataError.\(kind.rawValue)"
    if let explanation { text += ": \(explanation)" }
    if let underlyingError { text += " (cause: \(underlyingError))" }
    return text
  }
}

extension SwiftDataError: LocalizedError {
  /// The explanation, or else the kind.
  public var errorDescription: String? {
    explanation ?? "SwiftData error: \(kind.rawValue)"
  }
}
