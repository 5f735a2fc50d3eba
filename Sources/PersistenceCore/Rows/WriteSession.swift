/// One batch of rows of an entity that a save inserts or updates.
@usableFromInline
package final class WriteSession {
  @usableFromInline package let entity: EntityLayout
  @usableFromInline package let objects: ContiguousArray<AnyObject>
  /// Whether the primary key is the first parameter, as in an insert, or the last.
  @usableFromInline package let keyComesFirst: Bool
  @usableFromInline package let failure: RowFailure
  @usableFromInline package let arena = ByteArena()
  /// The context that saves; nil while a context goes.
  let context: ModelContext?
  package let transformers = TransformerCache()
  private let makeError: (Int32) -> SwiftDataError

  package init(
    entity: EntityLayout, objects: ContiguousArray<AnyObject>, keyComesFirst: Bool, context: ModelContext? = nil,
    error: @escaping (Int32) -> SwiftDataError
  ) {
    self.entity = entity
    self.objects = objects
    self.keyComesFirst = keyComesFirst
    self.context = context
    self.failure = RowFailure(entity: entity)
    self.makeError = error
  }

  @usableFromInline
  package func error(_ code: Int32, key: Int64 = 0) -> SwiftDataError {
    guard code == EngineStatement.missingRowCode else { return makeError(code) }
    return SwiftDataError(
      .modelNotFound,
      "\(entity.name) with key \(key) was changed here, but its row has been deleted by another context or process; "
        + "roll back, or delete the object here too")
  }

  @usableFromInline
  package func throwFailure() throws {
    try failure.throwFirst()
  }
}
