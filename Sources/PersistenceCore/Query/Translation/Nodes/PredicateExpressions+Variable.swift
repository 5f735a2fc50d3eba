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
    guard translation.isModel(key) else {
      return try translateMemberOfValue(keyPath, into: &translation)
    }
    try translation.appendProperty(at: keyPath)
  }
}

extension QueryTranslation {
  /// Appends what a key path of the model names.
  fileprivate mutating func appendProperty(at keyPath: AnyKeyPath) throws(UntranslatableExpression) {
    switch entity.meaning(of: keyPath) {
    case .property(let position):
      append(.property(position))
    case .key:
      append(.key)
    case .relationship(let position):
      throw UntranslatableExpression("\(entity.name).\(entity.properties[position].name), which is a relationship")
    case .transformable(let position):
      throw UntranslatableExpression("\(entity.name).\(entity.properties[position].name), which has no one column")
    case .rawValue, .emptyText, .unknown:
      throw UntranslatableExpression(
        "a property of \(entity.name) of type \(type(of: keyPath).valueType) that is computed or not stored")
    }
  }
}
