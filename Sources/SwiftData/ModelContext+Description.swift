import PersistenceContext
import PersistenceRuntime

extension ModelContext {
  /// The stores, the pending changes, and whether the context has autosave. For logs and debuggers. Apple's.
  ///
  /// It reads no store. Use it where the context is used.
  public var debugDescription: String {
    let locations = stores.stores.map(\.engine.location).joined(separator: ", ")
    let name = isMain ? "main ModelContext" : "ModelContext"
    let author = author.map { ", author \($0)" } ?? ""
    return "\(name) of \(locations): \(pending), autosave \(autosaveEnabled ? "on" : "off")\(author)"
  }
}
