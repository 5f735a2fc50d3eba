import PersistenceRuntime

/// The description of a store for a container. Apple's, with the members that ``ModelConfiguration`` needs.
public protocol DataStoreConfiguration: Hashable {
  /// The name of the store, for messages.
  var name: String { get }
  /// The entities of the store; nil for all entities of the container.
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

extension ModelConfiguration: DataStoreConfiguration {}
