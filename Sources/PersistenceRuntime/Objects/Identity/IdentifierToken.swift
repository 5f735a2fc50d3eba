import Foundation
import PersistenceSupport
import Synchronization

/// The identity of a model without a row.
///
/// A save resolves the token to the row before it commits, while no other code can know of the row. From then on every
/// identifier created for the row in this process refers to the token, so identifiers from before and after the save
/// are equal and have equal hashes.
@usableFromInline
package final class IdentifierToken: Sendable {
  package let identity: UUID
  package let entityName: String
  private let resolved = Lock<Resolution?>(nil)

  private struct Resolution {
    let entity: StoreEntity
    let key: Int64
    let isAlias: Bool
  }

  convenience init(entityName: String) {
    self.init(unlisted: UUID(), entityName: entityName)
    Self.registry.withLock { $0.tokens[identity] = WeakToken(self) }
  }

  private init(unlisted identity: UUID, entityName: String) {
    self.identity = identity
    self.entityName = entityName
  }

  deinit {
    let row = self.row.map { Row(entity: $0.entity, key: $0.key) }
    // Extends the lifetime of tokens loaded here beyond the lock: releasing the last reference under it would deadlock.
    _ = Self.registry.withLock { registry in
      let namesake = registry.tokens[identity]?.token
      let successor = row.flatMap { registry.rows[$0]?.token }
      if namesake == nil { registry.tokens[identity] = nil }
      if let row, successor == nil { registry.rows[row] = nil }
      Self.rowCount.store(registry.rows.count, ordering: .sequentiallyConsistent)
      return (namesake, successor)
    }
  }

  package var row: (entity: StoreEntity, key: Int64)? {
    resolved.withLock { $0.map { ($0.entity, $0.key) } }
  }

  /// Whether the row has another identity as well, because the row existed before, or another new object of the save
  /// has it too. Identifiers of both identities are in use, with hashes that must not change. This one still resolves
  /// to the row, but is not equal to the other.
  package var isAlias: Bool { resolved.withLock { $0?.isAlias ?? false } }

  /// Resolves the token to the row that its model is saved to, before other code can know of the row.
  ///
  /// The token becomes an alias if identifiers of the row with another hash exist.
  /// - Parameter isAlias: Whether another object has the row, too.
  /// - Returns: Whether the row differs from the former resolution.
  @discardableResult
  package func resolve(to key: Int64, of entity: StoreEntity, isAlias: Bool = false) -> Bool {
    let row = Row(entity: entity, key: key)
    let isKnown = resolved.withLock { $0.map { $0.key == key && $0.entity == entity } ?? false }
    // Already resolved: the save was rolled back and repeated.
    guard !isKnown else { return false }
    // Released after the lock: releasing the last reference to a token under it would deadlock.
    let holder = Self.registry.withLock { registry -> IdentifierToken? in
      let holder = registry.rows[row]?.token
      var isAlias = isAlias || holder != nil
      if !isAlias {
        registry.rows[row] = WeakToken(self)
        Self.rowCount.store(registry.rows.count, ordering: .sequentiallyConsistent)
        // Identifiers created from here on find the token; `mayBeKnown` covers those created before.
        isAlias = entity.knownKeys.mayBeKnown(key)
        if isAlias { registry.rows[row] = nil }
        Self.rowCount.store(registry.rows.count, ordering: .sequentiallyConsistent)
      }
      resolved.withLock { [isAlias] in $0 = Resolution(entity: entity, key: key, isAlias: isAlias) }
      return holder
    }
    withExtendedLifetime(holder) {}
    return true
  }

  /// Reverts the resolution: the save failed, or was rolled back.
  package func unresolve() {
    guard let row = row.map({ Row(entity: $0.entity, key: $0.key) }) else { return }
    let isAlias = isAlias
    resolved.withLock { $0 = nil }
    guard !isAlias else { return }
    Self.registry.withLock { registry in
      registry.rows[row] = nil
      Self.rowCount.store(registry.rows.count, ordering: .sequentiallyConsistent)
    }
  }

  // MARK: Living tokens

  private struct Row: Hashable {
    let entity: StoreEntity
    let key: Int64
  }

  private struct WeakToken: Sendable {
    weak let token: IdentifierToken?

    init(_ token: IdentifierToken) { self.token = token }
  }

  private struct Registry {
    var tokens: [UUID: WeakToken] = [:]
    var rows: [Row: WeakToken] = [:]
  }

  private static let registry = Lock(Registry())
  /// The size of `registry.rows`. Lets the usual case, without any early identifier, skip the lock.
  private static let rowCount = Atomic<Int>(0)

  /// Whether an identifier from before a first save still exists.
  static var anyResolved: Bool { rowCount.load(ordering: .sequentiallyConsistent) > 0 }

  static func existing(for key: Int64, of entity: StoreEntity) -> IdentifierToken? {
    guard anyResolved else { return nil }
    return registry.withLock { $0.rows[Row(entity: entity, key: key)]?.token }
  }

  /// The token of an identity that was decoded.
  static func token(identity: UUID, entityName: String) -> IdentifierToken {
    registry.withLock { registry in
      if let known = registry.tokens[identity]?.token { return known }
      let made = IdentifierToken(unlisted: identity, entityName: entityName)
      registry.tokens[identity] = WeakToken(made)
      return made
    }
  }
}
