/// A model that an expression stands for: a row, seen as one of the entities of its family, or what a relationship of
/// that row leads to.
package struct ModelReference: Sendable, Hashable {
  /// The number of the row.
  package let row: Int32
  /// The place of the entity in the family of the row's entity.
  package let member: Int32
  /// The position of the relationship that leads from the row to what is meant; nil when the row itself is.
  package let relationship: Int32?

  init(row: Int32, member: Int32 = 0, relationship: Int32? = nil) {
    self.row = row
    self.member = member
    self.relationship = relationship
  }

  /// The model that is asked about.
  static let root = ModelReference(row: 0)

  /// The row that the relationship belongs to.
  var owner: ModelReference { ModelReference(row: row, member: member) }
}
