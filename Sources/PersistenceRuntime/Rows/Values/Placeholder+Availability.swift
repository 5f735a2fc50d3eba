import Foundation
import PersistenceSupport

/// Whether there will be a value when one has to stand in, asked before any row is there that could vanish.
extension Placeholder {
  /// Whether the emptiest value of a type is known without running any code of the type. True of nearly all.
  package static func isCertain(_ type: any Any.Type) -> Bool {
    if type is any OptionalValue.Type || type is any StorableValue.Type { return true }
    if type is any SchemaArray.Type || type is any SchemaCollection.Type { return true }
    if type is any PersistentModel.Type { return true }
    func isBytes<T>(_ type: T.Type) -> Bool { _isPOD(type) }
    return _openExistential(type, do: isBytes)
  }

  /// Held while values are made, which runs code of their types.
  private static let making = NSRecursiveLock()

  /// Whether a value can be made. One is made, and kept, since whatever made it might refuse to later.
  package static func isAvailable(_ type: any Any.Type, transformer: ValueTransformer?) -> Bool {
    if KeptPlaceholders.has(type) { return true }
    return making.withLock { make(type, transformer: transformer) }
  }

  private static func make(_ type: any Any.Type, transformer: ValueTransformer?) -> Bool {
    // Another thread may have made one meanwhile, of a type that makes no second.
    if KeptPlaceholders.has(type) { return true }
    func made<T>(_ type: T.Type) -> Any? { (emptiest(type) ?? transformed(transformer)) as T? }
    guard let value = _openExistential(type, do: made) else { return false }
    // Of a type that is decoded on an actor no second value can be made elsewhere, and a read must never end the program.
    if isShareable(type) || ActorConformance.isCodedInActor(type) {
      KeptPlaceholders.keep(value, for: type)
      return true
    }
    // Each reader has to get one of its own, so that one alone is not enough.
    guard let another = _openExistential(type, do: made) else { return false }
    KeptPlaceholders.keep(another, for: type)
    return true
  }

  /// Whether copies of a value share nothing that could change, so that one value can be given to any threads.
  ///
  /// That is known of values that columns hold, of collections and structs of such, and of what has no references. It is
  /// not known of classes, nor of what may have an object inside.
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
