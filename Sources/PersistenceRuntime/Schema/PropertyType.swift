import PersistenceSupport

/// Classifies the declared type of a property.
package struct PropertyType {
  /// Whether a property of the type is an attribute or a relationship.
  package enum Kind {
    case value
    case toOne(any PersistentModel.Type)
    case toMany(any PersistentModel.Type)
    /// A set or a dictionary of models. A relationship of this type is not supported: it must be an array.
    case otherCollection(of: any PersistentModel.Type)
  }

  package let declared: any Any.Type
  /// The declared type without its `Optional`.
  package let wrapped: any Any.Type

  package init(_ declared: any Any.Type) {
    self.declared = declared
    self.wrapped = (declared as? any OptionalValue.Type)?.wrappedType ?? declared
  }

  package var isOptional: Bool { declared is any OptionalValue.Type }

  package var kind: Kind {
    if let model = wrapped as? any PersistentModel.Type { return .toOne(model) }
    if let array = wrapped as? any SchemaArray.Type, let model = array.elementType as? any PersistentModel.Type {
      return .toMany(model)
    }
    if let model = (wrapped as? any SchemaCollection.Type)?.elementType as? any PersistentModel.Type {
      return .otherCollection(of: model)
    }
    return .value
  }

  package var destination: (any PersistentModel.Type)? {
    switch kind {
    case .toOne(let model), .toMany(let model): model
    case .value, .otherCollection: nil
    }
  }

  /// Whether the type is an array of models, or in a decoded schema an array of ``Schema/UnknownValue``.
  package var isToMany: Bool {
    if case .toMany = kind { return true }
    return (wrapped as? any SchemaArray.Type)?.elementType == Schema.UnknownValue.self
  }

  package var isUnknown: Bool {
    let element = (wrapped as? any SchemaArray.Type)?.elementType
    return wrapped == Schema.UnknownValue.self || element == Schema.UnknownValue.self
  }

  package var isCodable: Bool { wrapped is any (Decodable & Encodable).Type }
}

/// An `Array` of any element type.
protocol SchemaArray {
  static var elementType: any Any.Type { get }
}

extension Array: SchemaArray {
  package static var elementType: any Any.Type { Element.self }
}

/// A set or a dictionary. The checks of a schema report relationships of these types.
protocol SchemaCollection {
  static var elementType: any Any.Type { get }
}

extension Set: SchemaCollection {
  package static var elementType: any Any.Type { Element.self }
}

extension Dictionary: SchemaCollection {
  static var elementType: any Any.Type { Value.self }
}
