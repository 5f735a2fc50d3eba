import PersistenceRuntime
import PersistenceSupport

/// Assigns primary keys to the identifiers of a store, because the library identifies rows by integer keys.
///
/// An existing model gets a key when the engine first sees its identifier. A new model gets a key before the store
/// assigns an identifier to it. A key stays valid as long as the store is open.
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

  /// Reserves keys for new models; nil if the count is 0.
  func take(_ count: Int) -> ClosedRange<Int64>? {
    guard count > 0 else { return nil }
    return state.withLock { state in
      let first = state.next
      state.next += Int64(count)
      return first...(state.next - 1)
    }
  }

  /// Records the identifier that the store has assigned to a new model. The model already has the given key.
  ///
  /// - Returns: The key that the identifier had before; nil if the identifier is new.
  func bind(_ key: Int64, to identifier: PersistentIdentifier) -> Int64? {
    state.withLock { state in
      state.identifiers[key] = identifier
      let former = state.keys.updateValue(key, forKey: identifier)
      return former == key ? nil : former
    }
  }
}
