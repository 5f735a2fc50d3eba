import Foundation

/// Identifies the edits of a context. Apple's.
public struct EditingState: Identifiable, Sendable {
  /// The type of the identity.
  public typealias ID = UUID

  /// The identity. Each context has its own.
  public let id: UUID
  /// The author of the changes, for the history of the store.
  public var author: String?

  package init() { id = UUID() }
}
