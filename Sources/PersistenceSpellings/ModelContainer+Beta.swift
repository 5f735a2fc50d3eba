// As the betas of 2023 spelled it.

import PersistenceContainer

extension ModelContainer {
  /// The first spelling of ``erase()``.
  @available(*, deprecated, renamed: "erase()")
  public func destroy() throws {
    try erase()
  }
}
