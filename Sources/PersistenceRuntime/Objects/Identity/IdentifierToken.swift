import Foundation
import PersistenceSupport
import Synchronization

/// The identity of a model that has no row yet.
///
/// The token learns its row before the save commits, when nobody else can know of the row. From then on every identifier
/// that is made for the row in this process refers to the token, so that identifiers from before and after the save are
/// equal and hash alike.
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
    // Living tokens that are looked at here are released after the lock: the last reference to one would take the lock
    // again.
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

  /// Whether the row has another identity: it was there already, or another new object of the save became it too. The
  /// identifiers of both are in use, with hashes that must stay; this one goes on leading to the row, and is another.
  package var isAlias: Bool { resolved.withLock { $0?.isAlias ?? false } }

  /// Learns the row that the model is saved to. Called before anybody else can know of the row.
  ///
  /// Where somebody has an identifier of the row already, with a hash of its own, the token is an alias.
  /// - Parameter isAlias: Whether the row is not the model's alone.
  /// - Returns: Whether that is new.
  @discardableResult
  package func resolve(to key: Int64, of entity: StoreEntity, isAlias: Bool = false) -> Bool {
    let row = Row(entity: entity, key: key)
    let isKnown = resolved.withLock { $0.map { $0.key == key && $0.entity == entity } ?? false }
    // It was taken back and comes again.
    guard !isKnown else { return false }
    // Released after the lock: the last reference to a token would take the lock again.
    let holder = Self.registry.withLock { registry -> IdentifierToken? in
      let holder = registry.rows[row]?.token
      var isAlias = isAlias || holder != nil
      if !isAlias {
        registry.rows[row] = WeakToken(self)
        Self.rowCount.store(registry.rows.count, ordering: .sequentiallyConsistent)
        // Whoever makes an identifier of the row from here on finds the token; this tells of those before.
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

  /// Forgets the row: the save that made it failed, or is undone.
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
  /// Lets the usual case, in which nobody has kept an early identifier, skip the lock.
  private static let rowCount = Atomic<Int>(0)

  /// Whether any identifier from before a first save is still kept.
  static var anyResolved: Bool { rowCount.load(ordering: .sequentiallyConsistent) > 0 }

  static func existing(for key: Int64, of entity: StoreEntity) -> IdentifierToken? {
    guard anyResolved else { return nil }
    return registry.withLock { $0.rows[Row(entity: entity, key: key)]?.token }
  }

  /// The token of an identity that was read from a file or a message.
  static func token(identity: UUID, entityName: String) -> IdentifierToken {
    registry.withLock { registry in
      if let known = registry.tokens[identity]?.token { return known }
      let made = IdentifierToken(unlisted: identity, entityName: entityName)
      registry.tokens[identity] = WeakToken(made)
      return made
    }
  }
}
