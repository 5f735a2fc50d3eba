import PersistenceContainer
import PersistenceRuntime

/// The description of a store for a container. Apple's.
///
/// A program that has a store of its own declares a type for its description, and names the store in it.
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

  /// The name of the store, for messages. Two configurations of a type in one container have different ones.
  var name: String { get }
  /// The entities of the store; nil for all entities of the container, which sets it before it makes the store.
  var schema: Schema? { get set }

  /// Checks the configuration before its store is opened.
  ///
  /// - Throws: An error that says what is wrong with the configuration.
  func validate() throws
}

extension DataStoreConfiguration {
  /// Accepts any configuration.
  ///
  /// - Throws: Nothing; the protocol declares it for configurations that check themselves.
  public func validate() throws {}
}
