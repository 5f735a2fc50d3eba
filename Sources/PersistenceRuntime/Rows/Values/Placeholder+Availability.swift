import Foundation
import PersistenceSupport

/// Tests for a placeholder when a container opens, before any row can disappear.
extension Placeholder {
  /// Whether a type has an empty value without running code of the type, as nearly all types do.
  package static func isCertain(_ type: any Any.Type) -> Bool {
    if type is any OptionalValue.Type || type is any StorableValue.Type { return true }
    if type is any SchemaArray.Type || type is any SchemaCollection.Type { return true }
    if type is any PersistentModel.Type { return true }
    func isBytes<T>(_ type: T.Type) -> Bool { _isPOD(type) }
    return _openExistential(type, do: isBytes)
  }

  /// Serialises the creation of values, which runs code of their types.
  private static let making = NSRecursiveLock()

  /// Whether a placeholder can be created. Keeps one, since the type's code might refuse later.
  package static func isAvailable(_ type: any Any.Type, transformer: ValueTransformer?) -> Bool {
    if KeptPlaceholders.has(type) { return true }
    return making.withLock { make(type, transformer: transformer) }
  }

  private static func make(_ type: any Any.Type, transformer: ValueTransformer?) -> Bool {
    // Another thread may have created one meanwhile, of a type that refuses a second.
    if KeptPlaceholders.has(type) { return true }
    func made<T>(_ type: T.Type) -> Any? { (emptiest(type) ?? transformed(transformer)) as T? }
    guard let value = _openExistential(type, do: made) else { return false }
    // A type with isolated decoding cannot be created elsewhere, and a read must never trap.
    if isShareable(type) || ActorConformance.isCodedInActor(type) {
      KeptPlaceholders.keep(value, for: type)
      return true
    }
    // Each reader needs a value of its own, so one is not sufficient.
    guard let another = _openExistential(type, do: made) else { return false }
    KeptPlaceholders.keep(another, for: type)
    return true
  }

  /// Whether copies of a value share no mutable state, so that any threads may use one value.
  ///
  /// True for directly stored values, collections and structs of them, and trivial types. False for classes and types
  /// that may contain an object.
  static func isShareable(_ type: any Any.Type) -> Bool {
    if let optional = type as? any OptionalValue.Type { return isShareable(optional.wrappedType) }
    if type is any StorableValue.Type { return true }
    if let array = type as? any SchemaArray.Type { return isShareable(array.elementType) }
    func isPlain<T>(_ type: T.Type) -> Bool {
      if _isPOD(type) { return true }
      guard let fields = StructFields.stored(in: type) else { return false }
      return fields.allSatisfy { isShareable($0.type) }
    }
    return _openExistential(type, do: isPlain)
  }
}
