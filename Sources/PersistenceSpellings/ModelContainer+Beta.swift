// Names of the betas of 2023.

import PersistenceContainer

extension ModelContainer {
  /// The first spelling of ``erase()``.
  ///
  /// - Throws: The errors of ``erase()``.
  @available(*, deprecated, renamed: "erase()")
  public func destroy() throws {
    try erase()
  }
}
