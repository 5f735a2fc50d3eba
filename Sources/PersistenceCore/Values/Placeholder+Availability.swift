import Foundation

/// Whether there will be a value when one has to stand in, asked before any row is there that could vanish.
extension Placeholder {
  /// Whether the emptiest value of a type is known without running any code of the type. True of nearly all.
  static func isCertain(_ type: any Any.Type) -> Bool {
    if type is any OptionalValue.Type || type is any StorableValue.Type { return true }
    if type is any SchemaArray.Type || type is any SchemaCollection.Type { return true }
    if type is any PersistentModel.Type { return true }
    func isBytes<T>(_ type: T.Type) -> Bool { _isPOD(type) }
    return _openExistential(type, do: isBytes)
  }

  /// Held while values are made, which runs code of their types.
  private static let making = NSRecursiveLock()

  /// Whether a value can be made. One is made, and kept, since whatever made it might refuse to later.
  static func isAvailable(_ type: any Any.Type, transformer: ValueTransformer?) -> Bool {
    if KeptPlaceholders.has(type) { return true }
    return making.withLock { make(type, transformer: transformer) }
  }

  private static func make(_ type: any Any.Type, transformer: ValueTransformer?) -> Bool {
    // Another thread may have made one meanwhile, of a type that makes no second.
    if KeptPlaceholders.has(type) { return true }
    func made<T>(_ type: T.Type) -> Any? { (emptiest(type) ?? transformed(transformer)) as T? }
    guard let value = _openExistential(type, do: made) else { return false }
    KeptPlaceholders.keep(value, for: type)
    return true
  }
}
