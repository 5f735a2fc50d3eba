import Foundation

/// Identifies a context, and names the author of its changes. Apple's type.
public struct EditingState: Identifiable, Sendable {
  /// The type of the identity.
  public typealias ID = UUID

  /// The identity. Each context has its own.
  public let id: UUID
  /// The author that the history of the store records for the changes.
  public var author: String?

  package init() { id = UUID() }
}
