import PersistenceRuntime
import _CSwiftRuntime

/// The models of an entity in a context that are written by hand, each held once, with its key: a row may have several, and a key may have
/// been that of a row that is gone.
///
/// Nothing in such a model says when it dies, and its backing data can be held without it, and changed: then the model has
/// to be there. So they are held, and let go once there are many, where nobody else has the model or its backing data.
/// Used only by whoever may use the context.
struct HandWrittenModels: ~Copyable {
  // Held by hand, and not in variables: how often an object is counted then does not depend on the optimiser.
  private var keys: [UnsafeMutableRawPointer: Int64] = [:]
  /// How many there may be before those are looked for that nobody uses.
  private var limit = 1_024

  deinit {
    for address in keys.keys { Unmanaged<AnyObject>.fromOpaque(address).release() }
  }

  /// Takes a model, or the key that it has now, and hands over those that the caller has to release: their ends may run
  /// code of the program, which may come back here.
  mutating func keep<T: PersistentModel>(_ object: AnyObject, key: Int64, as type: T.Type) -> [Unmanaged<AnyObject>] {
    let address = Unmanaged.passUnretained(object).toOpaque()
    // Held twice, it would seem to be used by somebody for ever.
    guard keys.updateValue(key, forKey: address) == nil else { return [] }
    _ = Unmanaged.passRetained(object)
    guard keys.count > limit else { return [] }
    let released = takeUnused(as: type)
    limit = max(1_024, keys.count * 2)
    return released
  }

  /// Hands over every model, to be released by the caller.
  mutating func takeAll() -> [(key: Int64, model: Unmanaged<AnyObject>)] {
    defer { keys = [:] }
    return keys.map { ($0.value, Unmanaged<AnyObject>.fromOpaque($0.key)) }
  }

  /// Takes out the models that only this has. What is to be saved is in the lists of changes, which hold it.
  private mutating func takeUnused<T: PersistentModel>(as type: T.Type) -> [Unmanaged<AnyObject>] {
    let unused = keys.keys.map { Unmanaged<AnyObject>.fromOpaque($0) }.filter { Self.isUnused($0, as: type) }
    for model in unused { keys[model.toOpaque()] = nil }
    return unused
  }

  private static func isUnused<T: PersistentModel>(_ model: Unmanaged<AnyObject>, as type: T.Type) -> Bool {
    guard swift_retainCount(model.toOpaque()) == 1, let data = dataAddress(of: model, as: type) else { return false }
    return swift_retainCount(data) == 1
  }

  /// In a function of its own, whose references are gone when it returns.
  @inline(never)
  private static func dataAddress<T: PersistentModel>(
    of model: Unmanaged<AnyObject>, as type: T.Type
  ) -> UnsafeMutableRawPointer? {
    model._withUnsafeGuaranteedRef { unsafeDowncast($0, to: T.self)._$dataAddress }
  }
}
