/// A to-one relationship on a path.
package struct RelationshipStep: Sendable, Hashable {
  /// The position of the relationship in its entity.
  package let position: Int
  /// The destination entity.
  package let destination: String

  package init(position: Int, destination: String) {
    self.position = position
    self.destination = destination
  }
}
