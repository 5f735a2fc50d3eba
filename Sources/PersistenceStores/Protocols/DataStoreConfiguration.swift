import PersistenceContainer
import PersistenceRuntime

/// The description of a store, from which a container creates the store. Apple's.
///
/// A program with a custom store declares its own configuration type, which names the type of the store.
///
/// ```swift
/// struct ArchiveConfiguration: DataStoreConfiguration {
///   typealias Store = Archive
///   var name = "archive"
///   var schema: Schema?
/// }
/// ```
public protocol DataStoreConfiguration: Hashable {
  /// The type of the store.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the store, for messages. Two configurations of one type in a container must have different names.
  var name: String { get }
  /// The entities of the store. If it is nil, the container sets it to all its entities before it creates the store.
  var schema: Schema? { get set }

  /// Checks the configuration. The container calls this before it opens the store.
  ///
  /// - Throws: An error that describes what is wrong with the configuration.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts any configuration.
  ///
  /// - Throws: Never; the method is declared with `throws` for configurations that implement a check.
  public func validate() throws {}
}
