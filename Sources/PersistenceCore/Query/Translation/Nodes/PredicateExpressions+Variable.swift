import Foundation

extension PredicateExpressions.Variable: TranslatableExpression {
  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    guard translation.append(key) else {
      throw UntranslatableExpression("a comparison with the \(Output.self) itself")
    }
  }

  package func translateMember(
    _ keyPath: AnyKeyPath, into translation: inout QueryTranslation
  ) throws(UntranslatableExpression) {
    guard let member = translation.member(of: key) else {
      return try translateMemberOfValue(keyPath, into: &translation)
    }
    try translation.appendProperty(at: keyPath, of: member)
  }

  package func member(in translation: QueryTranslation) -> Int? {
    translation.member(of: key)
  }
}

extension QueryTranslation {
  /// Whether the entity that is asked about has a property of a member of its family at the same position.
  private func isOwn(_ position: Int, _ member: Int) -> Bool {
    member == 0 || position < entity.properties.count
  }

  /// Appends what a key path of the model names.
  package mutating func appendProperty(
    at keyPath: AnyKeyPath, of member: Int
  ) throws(UntranslatableExpression) {
    let entity = member == 0 ? self.entity : self.entity.family[member]
    switch entity.meaning(of: keyPath) {
    case .property(let position):
      // What the entity has itself, its subentities have at the same positions.
      append(isOwn(position, member) ? .property(position) : .memberProperty(member, position))
    case .composite(let position) where isOwn(position, member):
      appendComposite(position)
    case .column(let position, let column) where isOwn(position, member):
      append(.member(property: position, column: column))
    case .composite(let position), .column(let position, _):
      throw UntranslatableExpression(
        "\(entity.name).\(entity.properties[position].name), a struct that only some of the rows have")
    case .key:
      append(.key)
    case .relationship(let position):
      throw UntranslatableExpression("\(entity.name).\(entity.properties[position].name), which is a relationship")
    case .transformable(let position):
      throw UntranslatableExpression("\(entity.name).\(entity.properties[position].name), which has no one column")
    case .rawValue, .emptyText, .member, .unknown:
      throw UntranslatableExpression(
        "a property of \(entity.name) of type \(type(of: keyPath).valueType) that is computed or not stored")
    }
  }
}
