import PersistenceRuntime

/// What describes a store to a container.
///
/// Apple's protocol, as far as ``ModelConfiguration`` needs it.
public protocol DataStoreConfiguration: Hashable {
  var name: String { get }
  /// The entities that the store holds; nil for all of the container's.
  var schema: Schema? { get set }

  /// Checks the configuration before a store is opened.
  func validate() throws
}

extension DataStoreConfiguration {
  public func validate() throws {}
}

extension ModelConfiguration: DataStoreConfiguration {}
