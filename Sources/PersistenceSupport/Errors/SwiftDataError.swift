import Foundation

/// An error of a container, a context or a store.
///
/// Apple's type. Ours are ``explanation``, which names what failed, where, and the remedy, ``underlyingError``, and the
/// constants for what Apple's framework does not report.
///
/// Two errors are equal when they are of one kind, whatever their explanations, so that both of these match:
///
/// ```swift
/// do {
///   try context.save()
/// } catch SwiftDataError.conflictingChanges {
///   context.rollback()
/// } catch let error as SwiftDataError where error == .storeBusy {
///   print(error.explanation ?? "busy")
/// }
/// ```
public struct SwiftDataError: Error, Hashable, Sendable {
  /// The kind of an error.
  package let kind: Kind

  /// What failed, where, and the remedy; nil for the bare constants.
  public let explanation: String?

  /// The error that caused this one, such as that of the file system.
  public let underlyingError: (any Error)?

  package init(_ kind: Kind, _ explanation: String? = nil, underlying: (any Error)? = nil) {
    self.kind = kind
    self.explanation = explanation
    self.underlyingError = underlying
  }

  public static func == (lhs: SwiftDataError, rhs: SwiftDataError) -> Bool {
    lhs.kind == rhs.kind
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
  }

  /// Matches any error of the same kind, so that the constants work as `catch` patterns.
  ///
  /// - Parameters:
  ///   - pattern: The constant.
  ///   - error: The error that was thrown.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    (error as? SwiftDataError)?.kind == pattern.kind
  }
}

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
