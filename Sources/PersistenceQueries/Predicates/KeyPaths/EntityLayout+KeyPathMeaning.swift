import Foundation
import PersistenceRuntime

extension EntityLayout {
  /// The meaning of a key path of the model, or of a value of it, in a query.
  package func meaning(of keyPath: AnyKeyPath) -> KeyPathMeaning {
    if let meaning = withQueryMemory({ $0.keyPaths.meaning(of: keyPath) }) { return meaning }
    let meaning = findMeaning(of: keyPath)
    // Unknown key paths are not cached: their evaluation in memory makes the look-up cheap by comparison, and there may
    // be many.
    if meaning != .unknown { withQueryMemory { $0.keyPaths.remember(meaning, of: keyPath) } }
    return meaning
  }

  /// Whether a key path is the model's identifier: `persistentModelID`, or an `id` that the model does not declare.
  package func isIdentifierKeyPath(_ keyPath: AnyKeyPath) -> Bool {
    Self.isIdentifierKeyPath(keyPath, of: modelType)
  }

  private static func isIdentifierKeyPath<Model: PersistentModel>(
    _ keyPath: AnyKeyPath, of type: Model.Type
  ) -> Bool {
    // Key paths to members of a protocol extension are equal whether formed in concrete or generic code.
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

/// Recognises key paths to stored members of structs.
private enum MemberPath {
  /// The offset of the member; nil for computed members, and members of classes.
  static func offset(of keyPath: AnyKeyPath) -> Int? {
    func offset<Root>(_ root: Root.Type) -> Int? {
      (keyPath as? PartialKeyPath<Root>).flatMap { MemoryLayout<Root>.offset(of: $0) }
    }
    return _openExistential(type(of: keyPath).rootType, do: offset)
  }
}
