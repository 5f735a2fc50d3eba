import Foundation
import PersistenceContainer
import PersistenceRuntime
import PersistenceSchemas

// API names of the SwiftData betas of 2023.

extension ModelConfiguration {
  /// An earlier form of ``init(isStoredInMemoryOnly:)``.
  ///
  /// - Parameter inMemory: Whether the store is in memory.
  @available(*, deprecated, renamed: "init(isStoredInMemoryOnly:)")
  public init(inMemory: Bool) {
    self.init(isStoredInMemoryOnly: inMemory)
  }

  /// An earlier form of ``init(for:isStoredInMemoryOnly:)``.
  ///
  /// - Parameters:
  ///   - forTypes: The models of the store.
  ///   - inMemory: Whether the store is in memory.
  @available(*, deprecated, renamed: "init(for:isStoredInMemoryOnly:)")
  @_disfavoredOverload
  public init(for forTypes: any PersistentModel.Type..., inMemory: Bool) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: inMemory)
  }

  /// The first way to open a store as read-only.
  ///
  /// - Parameter readOnly: Whether the store must not be changed.
  @available(*, deprecated, message: "say allowsSave, which is the opposite")
  public init(readOnly: Bool) {
    self.init(nil, allowsSave: !readOnly)
  }

  /// An earlier form of ``init(_:schema:isStoredInMemoryOnly:allowsSave:groupContainer:cloudKitDatabase:)``.
  ///
  /// - Parameters:
  ///   - name: The name of the file; nil for `default`.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - inMemory: Whether the store is in memory.
  ///   - readOnly: Whether the store must not be changed.
  ///   - groupContainer: The folder of the file.
  ///   - cloudKitDatabase: Has no effect.
  @available(*, deprecated, message: "say isStoredInMemoryOnly, and allowsSave, which is the opposite of readOnly")
  public init(
    _ name: String? = nil, schema: Schema? = nil, inMemory: Bool, readOnly: Bool = false,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(
      name, schema: schema, isStoredInMemoryOnly: inMemory, allowsSave: !readOnly, groupContainer: groupContainer,
      cloudKitDatabase: cloudKitDatabase)
  }

  /// The first way to open a store with a name as read-only.
  ///
  /// - Parameters:
  ///   - name: The name of the file; nil for `default`.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - readOnly: Whether the store must not be changed.
  ///   - groupContainer: The folder of the file.
  ///   - cloudKitDatabase: Has no effect.
  @available(*, deprecated, message: "say allowsSave, which is the opposite")
  public init(
    _ name: String? = nil, schema: Schema? = nil, readOnly: Bool, groupContainer: GroupContainer = .automatic,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(
      name, schema: schema, allowsSave: !readOnly, groupContainer: groupContainer, cloudKitDatabase: cloudKitDatabase)
  }

  /// The first way to share a store with other programs.
  ///
  /// - Parameters:
  ///   - name: The name of the file; nil for `default`.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - inMemory: Whether the store is in memory.
  ///   - readOnly: Whether the store must not be changed.
  ///   - sharedAppContainerIdentifier: The group whose folder contains the file; nil for the program's own folder.
  ///   - cloudKitContainerIdentifier: Has no effect.
  @available(*, deprecated, message: "say groupContainer: .identifier(_:), and cloudKitDatabase: .private(_:)")
  public init(
    _ name: String? = nil, schema: Schema? = nil, inMemory: Bool = false, readOnly: Bool = false,
    sharedAppContainerIdentifier: String?, cloudKitContainerIdentifier: String? = nil
  ) {
    self.init(
      name, schema: schema, isStoredInMemoryOnly: inMemory, allowsSave: !readOnly,
      groupContainer: sharedAppContainerIdentifier.map { .identifier($0) } ?? .automatic,
      cloudKitDatabase: .named(cloudKitContainerIdentifier))
  }

  /// The first way to name a CloudKit database.
  ///
  /// - Parameters:
  ///   - name: The name of the file; nil for `default`.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - inMemory: Whether the store is in memory.
  ///   - readOnly: Whether the store must not be changed.
  ///   - cloudKitContainerIdentifier: Has no effect.
  @available(*, deprecated, message: "say cloudKitDatabase: .private(_:)")
  public init(
    _ name: String? = nil, schema: Schema? = nil, inMemory: Bool = false, readOnly: Bool = false,
    cloudKitContainerIdentifier: String?
  ) {
    self.init(
      name, schema: schema, isStoredInMemoryOnly: inMemory, allowsSave: !readOnly,
      cloudKitDatabase: .named(cloudKitContainerIdentifier))
  }

  /// The first way to open a file as read-only.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration; nil for the name of the file.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - url: The file.
  ///   - readOnly: Whether the store must not be changed.
  ///   - cloudKitDatabase: Has no effect.
  @available(*, deprecated, message: "say allowsSave, which is the opposite")
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, readOnly: Bool,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(name, schema: schema, url: url, allowsSave: !readOnly, cloudKitDatabase: cloudKitDatabase)
  }

  /// The first way to name both a file and a CloudKit database.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration; nil for the name of the file.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - url: The file.
  ///   - readOnly: Whether the store must not be changed.
  ///   - cloudKitContainerIdentifier: Has no effect.
  @available(*, deprecated, message: "say cloudKitDatabase: .private(_:)")
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, readOnly: Bool = false,
    cloudKitContainerIdentifier: String?
  ) {
    self.init(
      name, schema: schema, url: url, allowsSave: !readOnly, cloudKitDatabase: .named(cloudKitContainerIdentifier))
  }
}

extension ModelConfiguration.CloudKitDatabase {
  fileprivate static func named(_ container: String?) -> Self { container.map { .private($0) } ?? .automatic }
}

// API names of the SwiftData betas of 2023.

extension ModelContainer {
  /// An earlier form of ``erase()``.
  ///
  /// - Throws: The errors of ``erase()``.
  @available(*, deprecated, renamed: "erase()")
  public func destroy() throws {
    try erase()
  }
}
