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
  /// The indices of the objects whose rows violate a uniqueness rule; nil if a violation throws an error.
  @exclusivity(unchecked) @usableFromInline package private(set) var conflicts: [Int]?
  /// The indices of the objects whose rows cannot be updated, because the rows no longer exist.
  @exclusivity(unchecked) package private(set) var missing: [Int] = []
  /// Stores large values in files; nil if the engine stores all values in rows. Set when the engine passes a statement.
  var externalValues: (any ExternalValueWriter)?
  var cipher: (any ValueCipher)?
  /// Collects texts and numbers that differ from their stored form (originals); nil if the engine does not store them.
  @exclusivity(unchecked) private(set) var originals: OriginalNotes?
  /// The first property that may be in a file, and the position (``ExternalValueWriter/mark``) before this row's files.
  private var firstOutOfRowPosition: Int?
  private var filesOfRow: Int64?
  /// The current row's references to objects that only the next save inserts, with the parameters of the statement.
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

  /// Whether the rows may refer to objects of an identity map.
  func mayRefer(to map: IdentityMap?) -> Bool { scope.contains(map) }

  /// Makes the writer call ``prepareRow(at:mask:)`` before the next row, because user code has changed an object.
  package func noteLateChange() { arena.cursor.pointee.needsPreparation = true }

  /// Frees the values that were copied for the previous row. Discards the late changes whose values this row will have.
  ///
  /// - Parameter mask: The properties whose columns the row contains.
  @usableFromInline
  package func prepareRow(at index: Int, mask: UInt64) {
    arena.freeLarge()
    arena.cursor.pointee.needsPreparation = false
    guard let lateChanges, lateChanges.hasLateChanges else { return }
    // Also discards changes of properties that no table stores, such as ephemeral ones.
    let object = entity.model(objects[index])
    lateChanges.forgetLateChanges(of: object, mask: mask | ~(entity.storedMask | entity.columnlessMask))
    if lateChanges.hasLateChanges { noteLateChange() }
  }

  /// Whether related objects that have neither a row nor a context yet will be inserted after this save.
  var insertsRelatedLater: Bool { lateChanges?.insertsRelatedLater == true }

  /// Postpones a reference to an object without a row until the next save. The writer binds the reference's former key,
  /// after the row's other values. Returns false if no user code can have inserted an object during this save.
  func postpone(_ position: Int, _ parameter: Int32) -> Bool {
    guard lateChanges != nil else { return false }
    postponed.append((position, parameter))
    // Makes the writer call `mendRow(at:)` before it writes the row.
    failure.hasFailed.pointee = true
    return true
  }

  /// Returns and clears the row's postponed references.
  func takePostponed() -> [(position: Int, parameter: Int32)] {
    defer { postponed = [] }
    return postponed
  }

  /// The key that a postponed reference keeps in its row until the next save; 0 for NULL. Returns nil if the key is
  /// unknown, or if it is 0 although the relationship is required.
  func formerKey(ofObjectAt index: Int, at position: Int) -> Int64? {
    guard let key = lateChanges?.formerKey(of: entity.model(objects[index]), at: position) else { return nil }
    return key != 0 || entity.relationship(at: position)?.isOptional == true ? key : nil
  }

  /// At the row's first value that may be in a file, records where the row's files begin, to discard them if needed.
  func beginOutOfRowValue(at position: Int) {
    guard let externalValues else { return }
    if firstOutOfRowPosition == nil { firstOutOfRowPosition = position }
    if firstOutOfRowPosition == position { filesOfRow = externalValues.mark }
  }

  /// Starts to collect originals: the exact texts and numbers that differ from their stored form.
  func begin(_ originals: OriginalNotes) {
    self.originals = originals
    if originals.wantsKeys { originals.note(keys: objects.indices.map { key(ofObjectAt: $0) }) }
  }

  func key(ofObjectAt index: Int) -> Int64 {
    entity.model(objects[index])._$state.pointee.primaryKey
  }

  /// Handles the error code of a row that was not written. Records the object if its row is missing, or if the row
  /// violates a uniqueness rule and ``conflicts`` is not nil. Throws for any other code.
  @usableFromInline
  package func take(_ code: Int32, at index: Int) throws {
    let isMissing = code == EngineStatement.missingRowCode
    guard isMissing || isConflict(code) else { throw error(code) }
    guard isMissing || conflicts != nil else { throw conflictError(code, at: index) }
    // If the row is written later, that write creates its files and originals again.
    originals?.discard(rowAt: index)
    if let filesOfRow { externalValues?.discard(from: filesOfRow) }
    if isMissing { missing.append(index) } else { conflicts?.append(index) }
  }

  /// Handles the rows that the engine rejected after the session had passed all rows to it.
  package func take(_ refused: [RefusedRow]) throws {
    // Only the files of the last row are known here; the engine has discarded those of the rejected rows.
    filesOfRow = nil
    for row in refused { try take(row.code, at: row.index) }
  }

  /// Creates the error of a uniqueness violation. The store names the properties; the object provides their values.
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

/// Tracks changes that user code makes to objects while a save writes rows, such as in `encode(to:)` of a value.
package protocol LateChangeTracking: AnyObject {
  /// Whether objects changed after their rows were written.
  var hasLateChanges: Bool { get }

  /// Whether new objects that user code relates to other objects during the save are inserted after the save.
  var insertsRelatedLater: Bool { get }

  /// Discards the late changes of an object whose row is about to be written, since the row has the current values.
  /// Keeps changed references to objects whose rows only the next save inserts, since they cannot be written yet.
  ///
  /// - Parameter mask: The properties that the row contains.
  func forgetLateChanges(of object: any PersistentModel, mask: UInt64)

  /// The key to which a reference referred before its late change; 0 if the reference was nil, nil if unknown.
  func formerKey(of object: any PersistentModel, at position: Int) -> Int64?
}

/// Determines to which objects the rows of a save may refer, including the rows of junction tables.
package struct ReferenceScope {
  /// The identity of the saving context's observation pool. All identity maps of the context share this pool, and no
  /// other context uses it. Not retained here: the caller retains a map of the context until everything is written.
  private let owner: ObjectIdentifier?
  /// The store, if the saving context is being released; otherwise nil. Rows may then also refer to objects of this
  /// store whose own contexts have been released.
  private let storeOfEnded: StoreCoordinator?

  /// Creates a scope in which rows may only refer to objects that belong to no context.
  package init() { (owner, storeOfEnded) = (nil, nil) }

  /// Creates the scope of a save that writes objects of an identity map.
  ///
  /// - Parameter isEnding: Whether the map's context is being released and saves its last changes.
  package init(saving map: IdentityMap, isEnding: Bool) {
    owner = ObjectIdentifier(map.observation)
    storeOfEnded = isEnding ? map.store : nil
  }

  /// Whether rows may refer to objects of a map. Always true for a map of the saving context. If this context is being
  /// released, also true for maps of released contexts, because no caller is left to handle an error of the save.
  @inline(__always)
  package func contains(_ map: IdentityMap?) -> Bool {
    guard let map else { return owner == nil }
    return owner == ObjectIdentifier(map.observation) || (map.owner == nil && map.store === storeOfEnded)
  }
}
