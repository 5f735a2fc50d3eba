import Foundation
import PersistenceSupport
import Synchronization

/// The identity of a model. Apple's type.
///
/// It is Sendable and Codable: send it to another context to find the model there. An identifier obtained before the
/// first save stays valid, with the same hash, and equals every other identifier of the same row.
///
/// ```swift
/// let id = trip.persistentModelID
/// let sameTrip = otherContext.model(for: id) as? Trip
/// ```
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Sendable {
  package let key: Key

  package init(_ key: Key) {
    self.key = key
  }

  /// What an identifier refers to.
  package enum Key: Sendable {
    /// A row of a default store.
    case row(StoreEntity, Int64)
    /// A model that had no row when the identifier was created.
    case token(IdentifierToken)
    /// A row of a store that assigns its own keys.
    case custom(StoreEntity, String)
  }

  /// Creates the identifier of a row; it equals an identifier that was created before the row existed.
  package init(row key: Int64, of entity: StoreEntity) {
    // The key is recorded first, so that either a concurrent `resolve` sees the key, or this look-up sees the token.
    entity.knownKeys.noteRow(key)
    self.key = IdentifierToken.anyResolved ? Self.known(key, of: entity) : .row(entity, key)
  }

  /// Creates an identifier from a key that the program or encoded data provides. The row may not exist.
  package init(claimed key: Int64, of entity: StoreEntity) {
    entity.knownKeys.noteClaim(key)
    self.key = Self.known(key, of: entity)
  }

  private static func known(_ key: Int64, of entity: StoreEntity) -> Key {
    if let own = entity.identities?.identifier(of: key) { return own.key }
    return IdentifierToken.existing(for: key, of: entity).map(Key.token) ?? .row(entity, key)
  }

  package init<T: PersistentModel>(of model: T) {
    let state = model._$state
    if let token = state.pointee.token, !token.isAlias {
      self.init(.token(token))
    } else if let map = state.pointee.identityMap, state.pointee.primaryKey != 0,
      // A model that the running save has inserted already has a key, but the save may still be rolled back.
      !state.pointee.flags.contains(.inserted)
    {
      self.init(row: state.pointee.primaryKey, of: map.store.storeEntity(of: map.entity))
    } else if let row = state.pointee.extras?.formerRow, state.pointee.identityMap != nil {
      // A deleted model keeps its identifier, because inserting the model again restores its former row.
      self.init(row: row.key, of: row.entity)
    } else {
      let token = IdentifierToken(entityName: Schema.entityName(ofModel: type(of: model)))
      state.pointee.token = token
      if let map = state.pointee.identityMap { map.ownerType.noteUnsaved(token, of: model, in: map) }
      self.init(.token(token))
    }
  }

  /// The name of the model's entity.
  public var entityName: String {
    switch key {
    case .row(let entity, _), .custom(let entity, _): entity.name
    case .token(let token): token.entityName
    }
  }

  /// The identifier of the store; nil before the first save of the model.
  public var storeIdentifier: String? {
    switch key {
    case .row(let entity, _), .custom(let entity, _): entity.store
    case .token(let token): token.row?.entity.store
    }
  }

  /// Whether the model has not been saved yet.
  public var isTemporary: Bool {
    if case .token(let token) = key { return token.row == nil }
    return false
  }

  /// The row; nil before the first save, and for a store that assigns its own keys.
  package var row: (entity: StoreEntity, key: Int64)? {
    switch key {
    case .row(let entity, let key): (entity, key)
    case .token(let token): token.row
    case .custom: nil
    }
  }

  /// The identifier as a value of ``ID``.
  public var id: ID { ID(identifier: self) }

  /// The identity of an identifier. Apple's type.
  public struct ID: Hashable, Sendable {
    private let identifier: PersistentIdentifier

    fileprivate init(identifier: PersistentIdentifier) {
      self.identifier = identifier
    }
  }

  public static func == (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
    switch (lhs.key, rhs.key) {
    case (.row(let left, let leftKey), .row(let right, let rightKey)): leftKey == rightKey && left == right
    case (.custom(let left, let leftKey), .custom(let right, let rightKey)): leftKey == rightKey && left == right
    case (.token(let left), .token(let right)): left === right || left.identity == right.identity
    case (.token(let token), .row(let entity, let key)), (.row(let entity, let key), .token(let token)):
      !token.isAlias && token.row.map { $0 == (entity, key) } ?? false
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch key {
    case .row(let entity, let key):
      hasher.combine(entity)
      hasher.combine(key)
    case .custom(let entity, let key):
      hasher.combine(entity)
      hasher.combine(key)
    case .token(let token):
      hasher.combine(token.identity)
    }
  }

  /// Orders by store, entity and key. Identifiers without a row come last.
  ///
  /// - Parameters:
  ///   - lhs: An identifier.
  ///   - rhs: Another identifier.
  public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
    guard let left = lhs.stored.row, let right = rhs.stored.row else {
      if (lhs.stored.row == nil) != (rhs.stored.row == nil) { return lhs.stored.row != nil }
      return lhs.primaryKeyText < rhs.primaryKeyText
    }
    return left.entity == right.entity ? left.key < right.key : left.entity < right.entity
  }
}

/// The identity of a model that had no row when its identifier was created.
///
/// A save resolves the token to the row before it commits, while no other code can access the row. From then on every
/// identifier created for the row in this process refers to the token. So identifiers from before and after the save
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

  package convenience init(entityName: String) {
    self.init(unlisted: UUID(), entityName: entityName)
    Self.registry.withLock { $0.tokens[identity] = WeakToken(self) }
  }

  private init(unlisted identity: UUID, entityName: String) {
    self.identity = identity
    self.entityName = entityName
  }

  deinit {
    let row = self.row.map { Row(entity: $0.entity, key: $0.key) }
    // The tokens loaded here are released after the lock: releasing the last reference under the lock would deadlock.
    _ = Self.registry.withLock { registry in
      let namesake = registry.tokens[identity]?.token
      let successor = row.flatMap { registry.rows[$0]?.token }
      if namesake == nil { registry.tokens[identity] = nil }
      if let row, successor == nil { registry.rows[row] = nil }
      Self.rowCount.store(registry.count, ordering: .sequentiallyConsistent)
      return (namesake, successor)
    }
  }

  package var row: (entity: StoreEntity, key: Int64)? {
    resolved.withLock { $0.map { ($0.entity, $0.key) } }
  }

  /// True if the row also has identifiers with another hash, because the row existed before (upsert) or another new
  /// object of the save has the same row. No hash may change while it is in use. So this token resolves to the row, but
  /// is not equal to the row's other identifiers.
  package var isAlias: Bool { resolved.withLock { $0?.isAlias ?? false } }

  /// Records the row that a save inserts for the token's model, before other code can access the row.
  ///
  /// The token becomes an alias if identifiers of the row with another hash exist.
  /// - Parameter isAlias: Whether another object has the same row.
  /// - Returns: False if this row was already recorded.
  @discardableResult
  package func resolve(to key: Int64, of entity: StoreEntity, isAlias: Bool = false) -> Bool {
    let row = Row(entity: entity, key: key)
    let isKnown = resolved.withLock { $0.map { $0.key == key && $0.entity == entity } ?? false }
    // The row is already recorded if the save was rolled back and repeated.
    guard !isKnown else { return false }
    // `holder` is released after the lock: releasing the last reference to a token under the lock would deadlock.
    let holder = Self.registry.withLock { registry -> IdentifierToken? in
      let holder = registry.rows[row]?.token
      var isAlias = isAlias || holder != nil
      if !isAlias {
        registry.rows[row] = WeakToken(self)
        Self.rowCount.store(registry.count, ordering: .sequentiallyConsistent)
        // Identifiers created from now on find the token; `mayBeKnown` reports identifiers that were created earlier.
        isAlias = entity.knownKeys.mayBeKnown(key)
        if isAlias { registry.rows[row] = nil }
        Self.rowCount.store(registry.count, ordering: .sequentiallyConsistent)
      }
      resolved.withLock { [isAlias] in $0 = Resolution(entity: entity, key: key, isAlias: isAlias) }
      return holder
    }
    withExtendedLifetime(holder) {}
    return true
  }

  /// Removes the token's row, after the save that inserted the row failed or was rolled back.
  package func unresolve() {
    guard let row = row.map({ Row(entity: $0.entity, key: $0.key) }) else { return }
    let isAlias = isAlias
    resolved.withLock { $0 = nil }
    guard !isAlias else { return }
    Self.registry.withLock { registry in
      registry.rows[row] = nil
      Self.rowCount.store(registry.count, ordering: .sequentiallyConsistent)
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
    /// Whether a store of this process assigns its own identifiers.
    var hasTables = false
    var count: Int { rows.count + (hasTables ? 1 : 0) }
  }

  /// Records that a store may assign its own identifiers to keys, so that no later look-up is skipped.
  static func noteTable() {
    registry.withLock { registry in
      registry.hasTables = true
      rowCount.store(registry.count, ordering: .sequentiallyConsistent)
    }
  }

  private static let registry = Lock(Registry())
  /// The value of `registry.count`. If it is 0, which is the usual case, look-ups skip the lock.
  private static let rowCount = Atomic<Int>(0)

  /// Whether an identifier needs a look-up, because its row may have a token, or a store assigns its own identifiers.
  static var anyResolved: Bool { rowCount.load(ordering: .sequentiallyConsistent) > 0 }

  static func existing(for key: Int64, of entity: StoreEntity) -> IdentifierToken? {
    guard anyResolved else { return nil }
    return registry.withLock { $0.rows[Row(entity: entity, key: key)]?.token }
  }

  /// Returns the living token with a decoded UUID, or creates it.
  static func token(identity: UUID, entityName: String) -> IdentifierToken {
    registry.withLock { registry in
      if let known = registry.tokens[identity]?.token { return known }
      let made = IdentifierToken(unlisted: identity, entityName: entityName)
      registry.tokens[identity] = WeakToken(made)
      return made
    }
  }
}

/// An entity of a store.
package final class StoreEntity: Hashable, Comparable, Sendable {
  package let store: String
  package let name: String
  /// The keys for which this process has created identifiers.
  package let knownKeys: KnownKeys
  /// Whether rows have identifiers other than their keys.
  package var hasOwnIdentifiers: Bool { identities != nil }
  /// The identifiers that the store has assigned to its rows; nil if the keys are the identifiers.
  let identities: (any IdentifierTable)?
  /// Whether the store applies Swift's rules to texts; see ``StoreEngine/readsTexts``.
  package let readsTexts: Bool

  package init(store: String, name: String, identities: (any IdentifierTable)? = nil, readsTexts: Bool = true) {
    self.readsTexts = readsTexts
    self.store = store
    self.name = name
    self.identities = identities
    knownKeys = KnownKeys.of(name, in: store)
    if identities != nil { IdentifierToken.noteTable() }
  }

  package static func == (lhs: StoreEntity, rhs: StoreEntity) -> Bool {
    lhs === rhs || (lhs.name == rhs.name && lhs.store == rhs.store)
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(store)
  }

  package static func < (lhs: StoreEntity, rhs: StoreEntity) -> Bool {
    (lhs.store, lhs.name) < (rhs.store, rhs.name)
  }
}

/// Maps the keys of a custom store's rows to the identifiers that the store has assigned to them.
package protocol IdentifierTable: AnyObject, Sendable {
  func identifier(of key: Int64) -> PersistentIdentifier?
  /// The key of the row with an identifier of the store; nil for an identifier of another store.
  func key(of identifier: PersistentIdentifier) -> Int64?
}

/// Encodes in the format of Apple's framework, for programs that parse this format.
extension PersistentIdentifier: Codable {
  private enum OuterKey: String, CodingKey {
    case implementation
  }

  private enum InnerKey: String, CodingKey {
    case primaryKey, uriRepresentation, isTemporary, storeIdentifier, entityName
  }

  /// Decodes an identifier. Its row need not exist.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The error of the decoder; `DecodingError` if the key of a model without a store is not a UUID.
  public init(from decoder: any Decoder) throws {
    let outer = try decoder.container(keyedBy: OuterKey.self)
    let inner = try outer.nestedContainer(keyedBy: InnerKey.self, forKey: .implementation)
    let entityName = try inner.decode(String.self, forKey: .entityName)
    let text = try inner.decode(String.self, forKey: .primaryKey)
    guard let store = try inner.decodeIfPresent(String.self, forKey: .storeIdentifier) else {
      guard text.hasPrefix("t"), let identity = UUID(uuidString: String(text.dropFirst())) else {
        throw DecodingError.dataCorruptedError(
          forKey: .primaryKey, in: inner, debugDescription: "'\(text)' is no key of a model without a store")
      }
      self.init(.token(IdentifierToken.token(identity: identity, entityName: entityName)))
      return
    }
    let uri = try inner.decodeIfPresent(String.self, forKey: .uriRepresentation) ?? ""
    let entity = StoreEntity(store: store, name: entityName)
    if !uri.hasPrefix(Self.customScheme), text.hasPrefix("p"), let key = Int64(text.dropFirst()) {
      self.init(claimed: key, of: entity)
    } else {
      self.init(.custom(entity, text))
    }
  }

  /// Encodes the identifier. The identifier of an unsaved model resolves to the model in this process only.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    // The encoding contains the key, not the token. So no other row may get this key, even if the save is rolled back.
    if case .token = key, let row { row.entity.knownKeys.noteRow(row.key) }
    var outer = encoder.container(keyedBy: OuterKey.self)
    var inner = outer.nestedContainer(keyedBy: InnerKey.self, forKey: .implementation)
    try inner.encode(primaryKeyText, forKey: .primaryKey)
    try inner.encode(uriRepresentation, forKey: .uriRepresentation)
    try inner.encode(isTemporary, forKey: .isTemporary)
    try inner.encodeIfPresent(storeIdentifier, forKey: .storeIdentifier)
    try inner.encode(entityName, forKey: .entityName)
  }

  private static let customScheme = "x-swiftdata"

  /// The identifier that a custom store has assigned to this identifier's row; otherwise this identifier.
  private var stored: PersistentIdentifier { row.flatMap { $0.entity.identities?.identifier(of: $0.key) } ?? self }

  /// The key as text: `p` and the key for a row, `t` and a UUID for a model without a row, or a custom store's key.
  package var primaryKeyText: String {
    switch stored.key {
    case .custom(_, let text): text
    case .token(let token): token.row.map { "p\($0.key)" } ?? "t\(token.identity.uuidString)"
    case .row(_, let key): "p\(key)"
    }
  }

  private var uriRepresentation: String {
    let scheme = if case .custom = stored.key { Self.customScheme } else { "x-coredata" }
    return "\(scheme)://\(storeIdentifier ?? "")/\(entityName)/\(primaryKeyText)"
  }

  /// Creates the identifier of a row in a store that assigns its own keys. Apple's.
  ///
  /// - Parameters:
  ///   - storeIdentifier: The identifier of the store.
  ///   - entityName: The name of the row's entity.
  ///   - primaryKey: The key of the row. An integer becomes the key of a row of a default store.
  /// - Returns: The identifier.
  /// - Throws: Nothing; Apple's signature declares it.
  public static func identifier<T>(
    for storeIdentifier: String, entityName: String, primaryKey: T
  ) throws -> PersistentIdentifier
  where T: Comparable, T: CustomStringConvertible, T: Decodable, T: Encodable, T: Hashable {
    let entity = StoreEntity(store: storeIdentifier, name: entityName)
    if let key = primaryKey as? any BinaryInteger, let number = Int64(exactly: key) {
      return PersistentIdentifier(claimed: number, of: entity)
    }
    return PersistentIdentifier(.custom(entity, primaryKey.description))
  }
}

extension PersistentIdentifier: CustomStringConvertible {
  public var description: String {
    "PersistentIdentifier(\(uriRepresentation))"
  }
}
