/// The identity of a model. Apple's type.
///
/// It is Sendable and Codable: send it to another context, which finds the model by it. An identifier obtained before
/// the first save stays valid, with the same hash, and equals every other identifier of the same row.
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

  /// Creates the identifier of a row; it equals one that was created before the row existed.
  package init(row key: Int64, of entity: StoreEntity) {
    // Recorded before the token look-up, so that a concurrent resolution sees the key, or is seen.
    entity.knownKeys.noteRow(key)
    self.key = IdentifierToken.anyResolved ? Self.known(key, of: entity) : .row(entity, key)
  }

  /// Creates the identifier of a row that may not exist, from external data.
  package init(claimed key: Int64, of entity: StoreEntity) {
    entity.knownKeys.noteClaim(key)
    self.key = Self.known(key, of: entity)
  }

  private static func known(_ key: Int64, of entity: StoreEntity) -> Key {
    IdentifierToken.existing(for: key, of: entity).map(Key.token) ?? .row(entity, key)
  }

  package init<T: PersistentModel>(of model: T) {
    let state = model._$state
    if let token = state.pointee.token, !token.isAlias {
      self.init(.token(token))
    } else if let map = state.pointee.identityMap, state.pointee.primaryKey != 0,
      // The running save may revert the key that it assigned.
      !state.pointee.flags.contains(.inserted)
    {
      self.init(row: state.pointee.primaryKey, of: map.store.storeEntity(of: map.entity))
    } else if let row = state.pointee.extras?.formerRow, state.pointee.identityMap != nil {
      // Inserting the model again restores its former row.
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

  /// The row, if it exists and the store is a default store.
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
    guard let left = lhs.row, let right = rhs.row else {
      if (lhs.row == nil) != (rhs.row == nil) { return lhs.row != nil }
      return lhs.primaryKeyText < rhs.primaryKeyText
    }
    return left.entity == right.entity ? left.key < right.key : left.entity < right.entity
  }
}
