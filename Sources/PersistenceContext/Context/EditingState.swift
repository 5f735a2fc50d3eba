import Foundation

/// The identity of a context towards a store.
public struct EditingState: Identifiable, Sendable {
  public typealias ID = UUID

  public let id: UUID
  /// Who makes the changes.
  public var author: String?

  init() {
    id = UUID()
  }
}
