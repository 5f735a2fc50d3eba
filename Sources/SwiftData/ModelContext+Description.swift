import PersistenceContext
import PersistenceRuntime

extension ModelContext {
  /// A text for logs and debuggers, with the stores, the pending changes and whether autosave is enabled. Apple's.
  ///
  /// The call does not read from a store. Use it only on the context's thread or actor.
  public var debugDescription: String {
    let locations = stores.stores.map(\.engine.location).joined(separator: ", ")
    let name = isMain ? "main ModelContext" : "ModelContext"
    let author = author.map { ", author \($0)" } ?? ""
    return "\(name) of \(locations): \(pending), autosave \(autosaveEnabled ? "on" : "off")\(author)"
  }
}
