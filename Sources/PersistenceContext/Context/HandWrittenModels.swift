import PersistenceRuntime
import _CSwiftRuntime

/// The hand-written models of a context for one entity, each retained once, with its key. A row may have several
/// models, and a key may belong to a deleted row.
///
/// A hand-written model does not report its deallocation, and its backing data may be retained and changed without it.
/// So the models are retained here. Once there are many, those are released that have no other reference, and whose
/// backing data has none. Confined to the context.
struct HandWrittenModels: ~Copyable {
  // Retained manually: the compiler may add or omit retains of variables, but the reference count is compared with 1.
  private var keys: [UnsafeMutableRawPointer: Int64] = [:]
  /// The number of models at which unused ones are released.
  private var limit = 1_024

  deinit {
    for address in keys.keys { Unmanaged<AnyObject>.fromOpaque(address).release() }
  }

  /// Adds a model or updates its key.
  ///
  /// - Returns: The models that the caller must release. Their deinitialisers may run code that calls this again.
  mutating func keep<T: PersistentModel>(_ object: AnyObject, key: Int64, as type: T.Type) -> [Unmanaged<AnyObject>] {
    let address = Unmanaged.passUnretained(object).toOpaque()
    // A second retain would make the model look used forever.
    guard keys.updateValue(key, forKey: address) == nil else { return [] }
    _ = Unmanaged.passRetained(object)
    guard keys.count > limit else { return [] }
    let released = takeUnused(as: type)
    limit = max(1_024, keys.count * 2)
    return released
  }

  /// Removes all models. The caller must release them.
  mutating func takeAll() -> [(key: Int64, model: Unmanaged<AnyObject>)] {
    defer { keys = [:] }
    return keys.map { ($0.value, Unmanaged<AnyObject>.fromOpaque($0.key)) }
  }

  /// Removes the models without other references. The lists of changes reference models with pending changes.
  private mutating func takeUnused<T: PersistentModel>(as type: T.Type) -> [Unmanaged<AnyObject>] {
    let unused = keys.keys.map { Unmanaged<AnyObject>.fromOpaque($0) }.filter { Self.isUnused($0, as: type) }
    for model in unused { keys[model.toOpaque()] = nil }
    return unused
  }

  private static func isUnused<T: PersistentModel>(_ model: Unmanaged<AnyObject>, as type: T.Type) -> Bool {
    guard swift_retainCount(model.toOpaque()) == 1, let data = dataAddress(of: model, as: type) else { return false }
    return swift_retainCount(data) == 1
  }

  /// Not inlined, so that its references are released when it returns.
  @inline(never)
  private static func dataAddress<T: PersistentModel>(
    of model: Unmanaged<AnyObject>, as type: T.Type
  ) -> UnsafeMutableRawPointer? {
    model._withUnsafeGuaranteedRef { unsafeDowncast($0, to: T.self)._$dataAddress }
  }
}
