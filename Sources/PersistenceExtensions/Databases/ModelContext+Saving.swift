import PersistenceContext
import PersistenceSupport

extension ModelContext {
  /// Runs a block and saves its changes, atomically.
  ///
  /// Changes that the context refused before the block do not fail this save. They stay for the next save of other
  /// code.
  /// - Throws: The errors of the block and of the save. Nothing is changed then.
  func saving<Result>(_ block: () throws -> Result) throws -> Result {
    let (earlier, reported) = (refusals, reportedRefusals)
    if !earlier.isEmpty { forgetRefusals() }
    defer {
      if !earlier.isEmpty { (refusals, reportedRefusals) = (earlier + refusals, reported) }
    }
    var result: Result?
    try transaction { result = try block() }
    guard let result else { throw SwiftDataError(.storeFailure, "a transaction ended without having run its block") }
    return result
  }
}
