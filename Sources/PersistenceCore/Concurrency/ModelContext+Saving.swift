extension ModelContext {
  /// Runs a block and saves what it changed, as one, and returns what the block returned.
  ///
  /// - Throws: What the block throws, or the error of the save; nothing has changed then.
  func saving<Result>(_ block: () throws -> Result) throws -> Result {
    var result: Result?
    try transaction { result = try block() }
    guard let result else { throw SwiftDataError(.storeFailure, "a transaction ended without having run its block") }
    return result
  }
}
