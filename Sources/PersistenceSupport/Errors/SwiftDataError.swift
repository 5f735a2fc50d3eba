import Foundation

/// An error thrown by a container, a context or a store.
///
/// The names of the constants are Apple's. What Apple's error lacks is here: ``explanation`` says in words what
/// went wrong, where, and what to do about it, and ``underlyingError`` keeps the cause.
///
/// Two errors are equal when they are of one kind, whatever their explanations say, so that
/// `catch SwiftDataError.unknownSchema` and `error == .unknownSchema` match the error that a store really throws.
public struct SwiftDataError: Error, Hashable, Sendable {
  /// The kind of an error.
  package let kind: Kind

  /// What went wrong, where, and the way out; nil for the bare constants.
  public let explanation: String?

  /// The error that caused this one.
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

  /// Matches any error of the same kind, which lets the constants stand in a `catch`.
  public static func ~= (pattern: SwiftDataError, error: any Error) -> Bool {
    (error as? SwiftDataError)?.kind == pattern.kind
  }
}
