import PersistenceSupport

/// The state of one batch of inserts or updates of an entity's rows.
@usableFromInline
package final class WriteSession {
  @usableFromInline package let entity: EntityLayout
  @usableFromInline package let objects: ContiguousArray<AnyObject>
  /// Whether the primary key is the first parameter, as in an INSERT, or the last.
  @usableFromInline package let keyComesFirst: Bool
  @usableFromInline package let failure: RowFailure
  let composites: CompositeTable
  @usableFromInline package let arena: ByteArena
  private let scope: ReferenceScope
  private let lateChanges: (any LateChangeTracking)?
  /// The indices of objects whose rows violate uniqueness; nil if a violation is an error.
  @exclusivity(unchecked) @usableFromInline package private(set) var conflicts: [Int]?
  /// The indices of objects whose rows do not exist.
  @exclusivity(unchecked) package private(set) var missing: [Int] = []
  /// Encoders of out-of-row values, provided with the statement.
  var externalValues: (any ExternalValueWriter)?
  var cipher: (any ValueCipher)?
  /// Collects the originals of the rows; nil if the engine stores none.
  @exclusivity(unchecked) private(set) var originals: OriginalNotes?
  /// The position of the first property with an out-of-row value, and ``ExternalValueWriter/mark`` before its files.
  private var firstOutOfRowPosition: Int?
  private var filesOfRow: Int64?
  /// The row's references to objects whose rows the next save inserts, with their parameters.
  private var postponed: [(position: Int, parameter: Int32)] = []
  package private(set) lazy var transformers = TransformerCache()
  var lastForms = LastForms()
  private let makeError: (Int32) -> SwiftDataError
  private let isConflict: (Int32) -> Bool

  /// - Parameters:
  ///   - scope: The objects to which the rows may refer.
  ///   - lateChanges: Tracks changes by user code during the save; nil if none can run.
  package init(
    entity: EntityLayout, objects: ContiguousArray<AnyObject>, keyComesFirst: Bool,
    scope: ReferenceScope = ReferenceScope(), lateChanges: (any LateChangeTracking)? = nil,
    collectsConflicts: Bool = false,
    isConflict: @escaping (Int32) -> Bool = { _ in false },
    error: @escaping (Int32) -> SwiftDataError
  ) {
    self.entity = entity
    self.objects = objects
    self.keyComesFirst = keyComesFirst
    self.scope = scope
    self.lateChanges = lateChanges
    self.conflicts = collectsConflicts ? [] : nil
    self.isConflict = isConflict
    self.failure = RowFailure(entity: entity)
    self.arena = ByteArena(rowCount: objects.count)
    self.composites = entity.composites
    self.makeError = error
  }

  @usableFromInline
  package func error(_ code: Int32) -> SwiftDataError { makeError(code) }

  /// Whether rows may refer to the objects of a map's context.
  func mayRefer(to map: IdentityMap?) -> Bool { scope.contains(map) }

  /// Makes the session check the following rows' objects for changes by user code (``LateChangeTracking``).
  package func noteLateChange() { arena.cursor.pointee.needsPreparation = true }

  /// Frees the copied values of the former row, and discards late changes that the next row will contain.
  ///
  /// - Parameter mask: The properties whose columns are written.
  @usableFromInline
  package func prepareRow(at index: Int, mask: UInt64) {
    arena.freeLarge()
    arena.cursor.pointee.needsPreparation = false
    guard let lateChanges, lateChanges.hasLateChanges else { return }
    // Changes of properties that are stored neither in columns nor in other rows are discarded too.
    let object = entity.model(objects[index])
    lateChanges.forgetLateChanges(of: object, mask: mask | ~(entity.storedMask | entity.columnlessMask))
    if lateChanges.hasLateChanges { noteLateChange() }
  }

  /// Whether related objects that have neither a row nor a context will be inserted after this save.
  var insertsRelatedLater: Bool { lateChanges?.insertsRelatedLater == true }

  /// Postpones a reference to the next save. The writer binds its parameter after the row's other values. Returns false
  /// if no user code can have inserted an object meanwhile.
  func postpone(_ position: Int, _ parameter: Int32) -> Bool {
    guard lateChanges != nil else { return false }
    postponed.append((position, parameter))
    // Makes the writer check the row before it is written.
    failure.hasFailed.pointee = true
    return true
  }

  /// Returns and clears the row's postponed references.
  func takePostponed() -> [(position: Int, parameter: Int32)] {
    defer { postponed = [] }
    return postponed
  }

  /// The key that a row keeps for a postponed reference; 0 for nil. Returns nil if the reference is required and its
  /// key is unknown.
  func formerKey(ofObjectAt index: Int, at position: Int) -> Int64? {
    guard let key = lateChanges?.formerKey(of: entity.model(objects[index]), at: position) else { return nil }
    return key != 0 || entity.relationship(at: position)?.isOptional == true ? key : nil
  }

  /// Records the position before a row's files, at the first property that may have one. All rows have the same order.
  func beginOutOfRowValue(at position: Int) {
    guard let externalValues else { return }
    if firstOutOfRowPosition == nil { firstOutOfRowPosition = position }
    if firstOutOfRowPosition == position { filesOfRow = externalValues.mark }
  }

  /// Sets the collection of originals, which the statement provides.
  func begin(_ originals: OriginalNotes) {
    self.originals = originals
    if originals.wantsKeys { originals.note(keys: objects.indices.map { key(ofObjectAt: $0) }) }
  }

  /// The key of the row of an object.
  func key(ofObjectAt index: Int) -> Int64 {
    entity.model(objects[index])._$state.pointee.primaryKey
  }

  /// Records an object whose row is missing or, if violations are no error, violates uniqueness; otherwise throws.
  @usableFromInline
  package func take(_ code: Int32, at index: Int) throws {
    let isMissing = code == EngineStatement.missingRowCode
    guard isMissing || isConflict(code) else { throw error(code) }
    guard isMissing || conflicts != nil else { throw conflictError(code, at: index) }
    // A later write of the row creates new files and originals.
    originals?.discard(rowAt: index)
    if let filesOfRow { externalValues?.discard(from: filesOfRow) }
    if isMissing { missing.append(index) } else { conflicts?.append(index) }
  }

  /// Records objects whose rows the engine rejected after it had accepted all rows, or throws.
  package func take(_ refused: [RefusedRow]) throws {
    // Only the files of the last row are known here; the engine has discarded those of the rejected rows.
    filesOfRow = nil
    for row in refused { try take(row.code, at: row.index) }
  }

  /// Creates an error that names the unique properties, which the store reports, and their values in the object.
  private func conflictError(_ code: Int32, at index: Int) -> SwiftDataError {
    let error = makeError(code)
    let object = entity.model(objects[index])
    let values = entity.uniqueValues(of: object).map { "\($0)" }.joined(separator: ", ")
    return SwiftDataError(
      error.kind, [error.explanation, "The values are \(values)."].compactMap { $0 }.joined(separator: " "),
      underlying: error.underlyingError)
  }

  @usableFromInline
  package func throwFailure() throws {
    try failure.throwFirst()
  }
}

/// Tracks changes that user code makes to objects while their rows are written.
package protocol LateChangeTracking: AnyObject {
  /// Whether objects changed after their rows were written.
  var hasLateChanges: Bool { get }

  /// Whether new objects that user code relates to other objects during the save are inserted after the save.
  var insertsRelatedLater: Bool { get }

  /// Discards the changes of an object that is about to be written with its current values. References to objects whose
  /// rows the next save inserts cannot be written yet, so their changes are kept.
  ///
  /// - Parameter mask: The written properties.
  func forgetLateChanges(of object: any PersistentModel, mask: UInt64)

  /// The key of a reference before its change; 0 for nil, nil if unknown.
  func formerKey(of object: any PersistentModel, at position: Int) -> Int64?
}

/// The objects to which the rows and pairs of a save may refer.
package struct ReferenceScope {
  /// The saving context's observation pool. All maps of the context share it, and no other context does. Only its
  /// identity is compared: the caller retains a map of the context until everything is written.
  private let owner: ObjectIdentifier?
  /// The store whose objects may be referenced after the release of their own context; nil unless the saving context is
  /// also being released.
  private let storeOfEnded: StoreCoordinator?

  /// Creates a scope with only objects without a context.
  package init() { (owner, storeOfEnded) = (nil, nil) }

  /// The scope of a save of a map's objects.
  ///
  /// - Parameter isEnding: Whether the map's context is being released: the map's owner has changes, but no context.
  package init(saving map: IdentityMap, isEnding: Bool) {
    owner = ObjectIdentifier(map.observation)
    storeOfEnded = isEnding ? map.store : nil
  }

  /// Whether rows may refer to objects of a map. They may refer to objects of the saving context. If this context is
  /// being released, they may also refer to those of released contexts: the program could not handle a save's error.
  @inline(__always)
  package func contains(_ map: IdentityMap?) -> Bool {
    guard let map else { return owner == nil }
    return owner == ObjectIdentifier(map.observation) || (map.owner == nil && map.store === storeOfEnded)
  }
}
