/// A model in an expression: a row, as one of the entities of its family, or the destination of the row's relationship.
package struct ModelReference: Sendable, Hashable {
  /// The number of the row.
  package let row: Int32
  /// The index of the entity in the family of the row's entity.
  package let member: Int32
  /// The position of the relationship; nil for the row itself.
  package let relationship: Int32?

  init(row: Int32, member: Int32 = 0, relationship: Int32? = nil) {
    self.row = row
    self.member = member
    self.relationship = relationship
  }

  /// The queried model.
  static let root = ModelReference(row: 0)

  /// The row with the relationship.
  var owner: ModelReference { ModelReference(row: row, member: member) }
}
