import Foundation
import PersistenceRuntime

extension EntityLayout {
  /// What a key path of the model, or of a value in it, means in a query.
  package func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning {
    if let meaning = withQueryMemory({ $0.keyPaths.meaning(of: keyPath) }) { return meaning }
    let meaning = findMeaning(of: keyPath)
    // What nothing is known of goes to memory, where finding that out again costs little, and may be one of many.
    if meaning != .unknown { withQueryMemory { $0.keyPaths.remember(meaning, of: keyPath) } }
    return meaning
  }

  /// Whether a key path names the model's identifier: `persistentModelID`, or the `id` that a model does not declare.
  package func isIdentifierKeyPath(_ keyPath: AnyKeyPath) -> Bool {
    Self.isIdentifierKeyPath(keyPath, of: modelType)
  }

  private static func isIdentifierKeyPath<Model: PersistentModel>(
    _ keyPath: AnyKeyPath, of type: Model.Type
  ) -> Bool {
    // Members of a protocol's extension: key paths to them are the same whether made of the model or in generic code.
    let identifier: KeyPath<Model, PersistentIdentifier> = \.id
    return keyPath == \Model.persistentModelID || keyPath == identifier
  }

  private func findMeaning(of keyPath: AnyKeyPath) -> KeyPathMeaning {
    if let property = property(at: keyPath) { return property.meaning }
    if isIdentifierKeyPath(keyPath) { return .key }
    if keyPath == \String.isEmpty { return .emptyText }
    if keyPath == \Date.timeIntervalSinceReferenceDate { return .rawValue }
    if keyPath == \Date.timeIntervalSince1970 { return .secondsSince1970 }
    if keyPath == \Double.isNaN || keyPath == \Float.isNaN { return .isNotANumber }
    if let meaning = CollectionPath.meaning(of: keyPath) { return meaning }
    if RawValuePath.isRawValue(keyPath) { return .rawValue }
    return memberMeaning(of: keyPath) ?? MemberPath.offset(of: keyPath).map { .member($0) } ?? .unknown
  }
}

extension PropertyLayout {
  fileprivate var meaning: KeyPathMeaning {
    switch kind {
    case .attribute where composite != nil: .composite(position)
    case .attribute: columns.count == 1 ? .property(position) : .transformable(position)
    case .transformable: .transformable(position)
    case .toOne, .toMany: .relationship(position)
    }
  }
}
