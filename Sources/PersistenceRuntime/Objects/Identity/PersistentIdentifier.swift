/// The identity of a model, which may be kept, compared and sent anywhere.
///
/// It is made on demand. One that is obtained before its model is saved for the first time stays valid, equal and
/// hashable afterwards, and is equal to every other identifier of the same row.
public struct PersistentIdentifier: Hashable, Identifiable, Comparable, Sendable {
  package let key: Key

  package init(_ key: Key) {
    self.key = key
  }

  /// What identifies a row.
  package enum Key: Sendable {
    /// A row of a store of ours.
    case row(StoreEntity, Int64)
    /// A model that had no row yet when the identifier was made.
    case token(IdentifierToken)
    /// A row of a store with keys of its own.
    case custom(StoreEntity, String)
  }

  /// The identifier of a row, in the form that is equal to one that was handed out before the row existed.
  package init(row key: Int64, of entity: StoreEntity) {
    // Before the tokens are asked: a token that comes to the row at the same time then sees this, or is seen.
    entity.knownKeys.noteRow(key)
    self.key = IdentifierToken.anyResolved ? Self.known(key, of: entity) : .row(entity, key)
  }

  /// The identifier of a row that may not be there: somebody else says so.
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
      // A key that a running save has given may be taken back.
      !state.pointee.flags.contains(.inserted)
    {
      self.init(row: state.pointee.primaryKey, of: map.store.storeEntity(of: map.entity))
    } else if let row = state.pointee.extras?.formerRow, state.pointee.identityMap != nil {
      // The row comes back as what it was.
      self.init(row: row.key, of: row.entity)
    } else {
      let token = IdentifierToken(entityName: Schema.entityName(ofModel: type(of: model)))
      state.pointee.token = token
      state.pointee.identityMap?.owner?.noteUnsaved(token, of: model)
      self.init(.token(token))
    }
  }

  /// The name of the entity.
  public var entityName: String {
    switch key {
    case .row(let entity, _), .custom(let entity, _): entity.name
    case .token(let token): token.entityName
    }
  }

  /// The identifier of the store; nil until the model is saved for the first time.
  public var storeIdentifier: String? {
    switch key {
    case .row(let entity, _), .custom(let entity, _): entity.store
    case .token(let token): token.row?.entity.store
    }
  }

  /// Whether the model has never been saved.
  public var isTemporary: Bool {
    if case .token(let token) = key { return token.row == nil }
    return false
  }

  /// The row, where the identifier is of a store of ours and the row exists.
  package var row: (entity: StoreEntity, key: Int64)? {
    switch key {
    case .row(let entity, let key): (entity, key)
    case .token(let token): token.row
    case .custom: nil
    }
  }

  public var id: ID { ID(identifier: self) }

  /// The identity of an identifier.
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

  /// Orders by store, entity and key; identifiers without a row come last.
  public static func < (lhs: PersistentIdentifier, rhs: PersistentIdentifier) -> Bool {
    guard let left = lhs.row, let right = rhs.row else {
      if (lhs.row == nil) != (rhs.row == nil) { return lhs.row != nil }
      return lhs.primaryKeyText < rhs.primaryKeyText
    }
    return left.entity == right.entity ? left.key < right.key : left.entity < right.entity
  }
}
