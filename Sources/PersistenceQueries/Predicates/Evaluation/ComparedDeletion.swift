import PersistenceRuntime
import PersistenceSupport

/// A store whose transactions are ``CascadingTransaction``s.
package protocol CascadingEngine: StoreEngine {}

/// A transaction that deletes rows by the owners to which they refer.
package protocol CascadingTransaction: StoreTransaction {
  /// Deletes all rows that refer to the given owners. No other transaction can add a reference to these owners before
  /// the commit. If the engine has several writers, the transaction has to defer its statements
  /// (``StoreTransaction/beginWaiting()``).
  ///
  /// - Parameters:
  ///   - entity: The entity of the rows, which has no hierarchy.
  ///   - position: The position of the relationship.
  ///   - owners: The keys of the owners, which the save deletes later in the transaction.
  ///   - keys: The keys of the rows whose values the history records; nil without a history.
  /// - Returns: The keys of the deleted rows.
  /// - Throws: If other rows than `keys` refer to the owners, an error that makes the context run the save again.
  func deleteRows(
    of entity: EntityLayout, referringAt position: Int, to owners: [Int64], expecting keys: [Int64]?
  ) throws -> [Int64]
}

/// A store that may know that a row is unchanged since a context read it. Then it need not compare the row's values.
package protocol ComparingEngine: CascadingEngine {
  /// Called before a context's first read or save, but never during a read.
  ///
  /// - Returns: A token that the context passes when it deletes rows; nil if the engine uses no token.
  func beginReads() -> AnyObject?
}

/// A transaction that compares rows while it deletes them.
package protocol ComparingTransaction: CascadingTransaction {
  /// Deletes rows, in a transaction that defers its statements (``StoreTransaction/beginWaiting()``). If a row does not
  /// contain the expected values, the commit fails.
  ///
  /// - Parameters:
  ///   - entity: The entity of the rows.
  ///   - mask: The properties that are compared.
  ///   - keys: The keys of the rows, in the order in which `body` binds their values.
  ///   - start: The result of ``ComparingEngine/beginReads()``. The context has read all of the rows after that call.
  ///   - body: Binds the expected values to a statement, as for ``StoreTransaction/update(_:mask:expecting:_:)``, and
  ///     executes a step for each row. Called at once, or when all deletions of the save are known; not called if no
  ///     value has to be compared.
  /// - Throws: An error if a value cannot be compared; the context then runs the save again.
  func delete(
    from entity: EntityLayout, having mask: UInt64, keys: [Int64], since start: AnyObject?,
    _ body: @escaping (EngineStatement) throws -> Void) throws
}

/// Deleted objects whose rows are compared before they are deleted. The same properties are compared for all of them.
package struct ComparedDeletion {
  package let mask: UInt64
  /// The positions of the objects in the list of all deleted objects; nil if they are not next to each other there.
  package let range: Range<Int>?
  /// A list of objects, of which the elements at ``positions`` are deleted.
  private let list: ContiguousArray<AnyObject>
  private let positions: Range<Int>

  /// Copied only when the rows have to be compared, because a store often knows that they are unchanged.
  package var objects: ContiguousArray<AnyObject> { ContiguousArray(list[positions]) }

  /// The deletions of all given objects. Nil if an object also has changes or could not be read, or if the entity has a
  /// property that a database cannot compare, because equal values may be stored differently.
  static func all(of objects: ContiguousArray<AnyObject>, in entity: EntityLayout) -> [ComparedDeletion]? {
    guard !objects.isEmpty else { return [] }
    guard let mask = comparedMask(of: entity) else { return nil }
    return all(of: objects, in: entity, mask, as: entity.modelType)
  }

  private static func all<T: PersistentModel>(
    of objects: ContiguousArray<AnyObject>, in entity: EntityLayout, _ mask: UInt64, as type: T.Type
  ) -> [ComparedDeletion]? {
    let isComparable = objects.allSatisfyUnretained(as: T.self) { model in
      let state = model._$state
      return state.pointee.dirty & entity.storedMask == 0 && !state.pointee.hasFailedReads
        && state.pointee.flags.isDisjoint(with: [.fault, .lost])
    }
    guard isComparable else { return nil }
    let references = entity.relationships.filter { $0.storage == .column }
    guard !references.isEmpty else { return parts(of: objects, mask, areAll: true) }
    // A reference that the program never read is not compared, because the deletion does not depend on it.
    func compared(_ model: T) -> UInt64 {
      references.reduce(mask) { hasRead($1, of: model) ? $0 : $0 & ~PropertyMask.bit($1.position) }
    }
    // Usually the same properties were read for all objects.
    let first = compared(unsafeDowncast(objects[0], to: T.self))
    guard !objects.allSatisfyUnretained(as: T.self, { compared($0) == first }) else {
      return parts(of: objects, first, areAll: true)
    }
    var groups: [UInt64: ContiguousArray<AnyObject>] = [:]
    for object in objects { groups[compared(unsafeDowncast(object, to: T.self)), default: []].append(object) }
    return groups.sorted { $0.key < $1.key }.flatMap { parts(of: $0.value, $0.key, areAll: false) }
  }

  /// Splits a deletion into smaller ones, because each deletion sends all its values to compare at once.
  ///
  /// - Parameter areAll: Whether these are all deleted objects.
  private static func parts(
    of objects: ContiguousArray<AnyObject>, _ mask: UInt64, areAll: Bool
  ) -> [ComparedDeletion] {
    stride(from: 0, to: objects.count, by: most).map { start in
      let positions = start..<min(start + most, objects.count)
      return ComparedDeletion(mask: mask, range: areAll ? positions : nil, list: objects, positions: positions)
    }
  }

  private static let most = 10_000

  private static func hasRead<T: PersistentModel>(_ relationship: RelationshipLayout, of object: T) -> Bool {
    var slot = _PersistenceRuntime.RelationshipSlotOperation(.read)
    object._$relate(&slot, relationship.position)
    return slot.isLoaded
  }

  /// The properties that are compared: those whose values are in the row. Nil if equal values of one of them may be
  /// stored differently.
  private static func comparedMask(of entity: EntityLayout) -> UInt64? {
    var mask: UInt64 = 0
    for property in entity.properties where !property.columns.isEmpty {
      // From the 64th property on, several properties share one bit.
      guard property.position < PropertyMask.sharedPosition else { return nil }
      guard property.outOfRowValue == nil else { continue }
      guard property.columns.count == 1, property.composite == nil, property.columns[0].format != .json,
        property.kind != .transformable
      else { return nil }
      mask |= property.bit
    }
    return mask
  }
}
