import PersistenceContainer
import PersistenceRuntime

/// The description of a store for a container. Apple's.
///
/// A program with a custom store declares a type for its description, which names the type of the store.
///
/// ```swift
/// struct ArchiveConfiguration: DataStoreConfiguration {
///   typealias Store = Archive
///   var name = "archive"
///   var schema: Schema?
/// }
/// ```
public protocol DataStoreConfiguration: Hashable {
  /// The store that is described.
  associatedtype Store: DataStore where Self == Self.Store.Configuration

  /// The name of the store, for messages. Configurations of one type in one container have different names.
  var name: String { get }
  /// The entities of the store; nil for all entities of the container, which sets it before it creates the store.
  var schema: Schema? { get set }

  /// Checks the configuration before its store is opened.
  ///
  /// - Throws: An error that describes the problem of the configuration.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts any configuration.
  ///
  /// - Throws: Nothing; the protocol declares it for configurations that check themselves.
  public func validate() throws {}
}
