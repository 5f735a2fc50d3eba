import PersistenceRuntime
import PersistenceSupport

/// The primary keys of the library for the identifiers of a store.
///
/// An identifier gets a key when the engine first sees it. A new model gets a key before it has an identifier. The key
/// belongs to the identifier as long as the store is open.
final class StoreIdentities: IdentifierTable {
  private struct State {
    var keys: [PersistentIdentifier: Int64] = [:]
    var identifiers: [Int64: PersistentIdentifier] = [:]
    var next: Int64 = 1
  }

  private let store: String
  private let state = Lock(State())

  init(of store: String) { self.store = store }

  func identifier(of key: Int64) -> PersistentIdentifier? { state.withLock { $0.identifiers[key] } }

  func key(of identifier: PersistentIdentifier) -> Int64? {
    guard !identifier.isTemporary, identifier.storeIdentifier == store else { return nil }
    return state.withLock { state in
      if let known = state.keys[identifier] { return known }
      defer { state.next += 1 }
      state.keys[identifier] = state.next
      state.identifiers[state.next] = identifier
      return state.next
    }
  }

  /// Assigns keys to new models; nil for no models.
  func take(_ count: Int) -> ClosedRange<Int64>? {
    guard count > 0 else { return nil }
    return state.withLock { state in
      let first = state.next
      state.next += Int64(count)
      return first...(state.next - 1)
    }
  }

  /// Assigns a new model's key to the identifier that the store has assigned to the model.
  ///
  /// - Returns: The key that the identifier had before; nil if it had none.
  func bind(_ key: Int64, to identifier: PersistentIdentifier) -> Int64? {
    state.withLock { state in
      state.identifiers[key] = identifier
      let former = state.keys.updateValue(key, forKey: identifier)
      return former == key ? nil : former
    }
  }
}
