import PersistenceSupport

/// One batch of rows of an entity that a save inserts or updates.
@usableFromInline
package final class WriteSession {
  @usableFromInline package let entity: EntityLayout
  @usableFromInline package let objects: ContiguousArray<AnyObject>
  /// Whether the primary key is the first parameter, as in an insert, or the last.
  @usableFromInline package let keyComesFirst: Bool
  @usableFromInline package let failure: RowFailure
  let composites: CompositeTable
  @usableFromInline package let arena = ByteArena()
  private let scope: ReferenceScope
  private let lateChanges: (any LateChangeTracking)?
  /// The places of objects that a row stands for already; nil where that is an error.
  @usableFromInline package private(set) var conflicts: [Int]?
  /// The places of objects whose rows are not there any more.
  package private(set) var missing: [Int] = []
  /// What the engine has for values in envelopes, as its statement brings it along.
  var externalValues: (any ExternalValueWriter)?
  var cipher: (any ValueCipher)?
  /// The first property of a row that may be in a file, and where the files of the row begin.
  private var firstEnvelope: Int?
  private var filesOfRow: Int64?
  /// References of the row to objects that get their rows with the next save, and the parameters that they have.
  private var postponed: [(position: Int, parameter: Int32)] = []
  package let transformers = TransformerCache()
  var lastForms = LastForms()
  private let makeError: (Int32) -> SwiftDataError
  private let isConflict: (Int32) -> Bool

  /// - Parameters:
  ///   - scope: What the rows may refer to.
  ///   - lateChanges: Tracks what code changes meanwhile; nil where no such code runs.
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
    self.composites = entity.composites
    self.makeError = error
  }

  @usableFromInline
  package func error(_ code: Int32) -> SwiftDataError { makeError(code) }

  /// Whether rows may refer to the objects of a map.
  func mayRefer(to map: IdentityMap?) -> Bool { scope.contains(map) }

  /// Has the next rows look for what was changed in their objects before they are written.
  package func noteLateChange() { arena.cursor.pointee.needsPreparation = true }

  /// Does what the rows before have left to be done before a row is written.
  ///
  /// - Parameter mask: The properties whose columns are written.
  @usableFromInline
  package func prepareRow(at index: Int, mask: UInt64) {
    arena.freeLarge()
    arena.cursor.pointee.needsPreparation = false
    guard let lateChanges, lateChanges.hasLateChanges else { return }
    // What is neither in columns nor in other rows has nothing to wait for.
    let object = entity.model(objects[index])
    lateChanges.forgetLateChanges(of: object, mask: mask | ~(entity.storedMask | entity.columnlessMask))
    if lateChanges.hasLateChanges { noteLateChange() }
  }

  /// Has a reference wait for the next save, and its parameter for the end of the row; false where no code can have
  /// inserted anything meanwhile.
  func postpone(_ position: Int, _ parameter: Int32) -> Bool {
    guard lateChanges != nil else { return false }
    postponed.append((position, parameter))
    // Has the row looked at again before it is written.
    failure.hasFailed.pointee = true
    return true
  }

  /// Hands over the references of the row that wait.
  func takePostponed() -> [(position: Int, parameter: Int32)] {
    defer { postponed = [] }
    return postponed
  }

  /// The key that the row of an object keeps while its reference waits; 0 for none, nil where there must be one and it
  /// is not known.
  func formerKey(ofObjectAt index: Int, at position: Int) -> Int64? {
    guard let key = lateChanges?.formerKey(of: entity.model(objects[index]), at: position) else { return nil }
    return key != 0 || entity.relationship(at: position)?.isOptional == true ? key : nil
  }

  /// Notes where the files of a row begin. Every row writes the same properties in the same order.
  func beginEnvelope(at position: Int) {
    guard let externalValues else { return }
    if firstEnvelope == nil { firstEnvelope = position }
    if firstEnvelope == position { filesOfRow = externalValues.mark }
  }

  /// Takes note of an object that was not written, or throws.
  @usableFromInline
  package func take(_ code: Int32, at index: Int) throws {
    let isMissing = code == EngineStatement.missingRowCode
    guard isMissing || isConflict(code) else { throw error(code) }
    guard isMissing || conflicts != nil else { throw conflictError(code, at: index) }
    // The row will be written another time, with files of its own, or never.
    if let filesOfRow { externalValues?.discard(from: filesOfRow) }
    if isMissing { missing.append(index) } else { conflicts?.append(index) }
  }

  /// The store names the properties; the object has the values.
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
