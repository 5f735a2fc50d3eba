/// A to-one relationship that a path follows.
package struct RelationshipStep: Sendable, Hashable {
  /// The position of the relationship among the properties of the entity that it leads from.
  package let position: Int
  /// The entity that it leads to.
  package let destination: String

  package init(position: Int, destination: String) {
    self.position = position
    self.destination = destination
  }
}
