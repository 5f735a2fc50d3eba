import PersistenceContext
import PersistenceSupport

extension ModelContext {
  /// Runs a block and saves what it changed, as one, and returns what the block returned.
  ///
  /// What was refused before the block is none of its concern: it stays for a save of the code that asked for it.
  /// - Throws: What the block throws, or the error of the save; nothing has changed then.
  func saving<Result>(_ block: () throws -> Result) throws -> Result {
    let (unheard, reported) = (refusals, reportedRefusals)
    if !unheard.isEmpty { forgetRefusals() }
    defer {
      if !unheard.isEmpty { (refusals, reportedRefusals) = (unheard + refusals, reported) }
    }
    var result: Result?
    try transaction { result = try block() }
    guard let result else { throw SwiftDataError(.storeFailure, "a transaction ended without having run its block") }
    return result
  }
}
