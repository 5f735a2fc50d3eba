import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// The description of one store of a container. Apple's.
///
/// A container with several configurations has one store for each. Every store commits on its own: a save is atomic in
/// each store, but not across stores if a disk fails or the process is killed between two commits. See
/// ``ModelContext/save()``.
///
/// Without a name or URL the store is the file `default.store` in the program's own folder: on Linux
/// `$XDG_DATA_HOME/<program>/` or `~/.local/share/<program>/`.
///
/// ```swift
/// let configuration = ModelConfiguration("Trips", isStoredInMemoryOnly: false)
/// let container = try ModelContainer(for: Trip.self, configurations: configuration)
/// ```
public struct ModelConfiguration: Identifiable, Hashable, Sendable {
  /// The file of the store. Apple's. The URL of a store in memory names no file.
  public let url: URL
  /// The path of the file, kept because finding it takes a measurable part of opening a store.
  package let path: String
  /// The given name, or the file name without its extension. Apple's.
  public var name: String { givenName ?? url.deletingPathExtension().lastPathComponent }
  /// The given name. That of the file is computed on demand: it costs a few microseconds and is rarely needed.
  let givenName: String?
  /// The name of the group container; nil without one. Apple's.
  public let groupAppContainerIdentifier: String?
  /// The name of the CloudKit container; nil without one. Apple's. It has no effect: there is no CloudKit here.
  public let cloudKitContainerIdentifier: String?
  /// The folder that the store shares with other programs. Apple's.
  public let groupContainer: GroupContainer
  /// The CloudKit database. Apple's. It has no effect: there is no CloudKit here.
  public let cloudKitDatabase: CloudKitDatabase
  /// The entities of the store; nil for all entities of the container. Apple's.
  public var schema: Schema?
  /// Whether the store may change. Apple's. If not, it is opened read-only.
  public let allowsSave: Bool
  /// Whether the store is in memory, private to its container, and discarded with it. Apple's.
  public let isStoredInMemoryOnly: Bool

  /// How long to wait for another writer before throwing `SwiftDataError.storeBusy`. Ours.
  public var busyTimeout: Duration = .seconds(5)
  /// What a save does with a new model whose unique values exist in another row. Ours.
  public var uniquenessPolicy: UniquenessPolicy = .updateExisting
  /// Which failures a completed save survives. Ours.
  public var durability: Durability = .processCrash
  /// The log of slow statements; nil for none. Ours.
  public var slowStatementLog: SlowStatementLog?
  /// The key that values of `.encrypt` attributes are encrypted with. Ours.
  public var encryptionKey: EncryptionKey?
  /// Keys that stored values may still be encrypted with. They decrypt values and never encrypt them. Ours.
  ///
  /// ``ModelContainer/reencrypt(batchSize:progress:)`` makes them unnecessary. Every program that uses the store must
  /// have the new key, here or as its ``encryptionKey``, before the first program encrypts with it.
  public var formerEncryptionKeys: [EncryptionKey] = []

  /// Reports the progress of a migration when the store is opened; nil for no report. Ours.
  public var migrationProgress: ModelContainer.MigrationProgress?
  /// Whether a migration copies the store to `<store>_backup` first. Ours.
  ///
  /// The copy is removed when the migrated store is opened the next time.
  public var keepsMigrationBackup = false
  /// How long to wait for a migration by another process before throwing `SwiftDataError.storeBusy`. Ours.
  public var migrationTimeout: Duration = .seconds(600)

  /// The URL of the store. Apple's.
  public var id: URL { url }

  /// The failures that a completed save survives. Ours.
  public enum Durability: Hashable, Sendable {
    /// The end of the process at any moment. A power failure may lose the last saves, but never damages the store.
    case processCrash
    /// A power failure too. Every save waits for the disk.
    case powerFailure
  }

  /// A CloudKit database. Apple's. It has no effect: there is no CloudKit here.
  public struct CloudKitDatabase: Hashable, Sendable {
    let container: String?
    let isAutomatic: Bool

    /// The database of the program's entitlements. Apple's.
    public static var automatic: CloudKitDatabase { CloudKitDatabase(container: nil, isAutomatic: true) }
    /// No database. Apple's.
    public static var none: CloudKitDatabase { CloudKitDatabase(container: nil, isAutomatic: false) }
    /// A private database. Apple's.
    ///
    /// - Parameter privateDBName: The name of the CloudKit container.
    /// - Returns: The database.
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(container: privateDBName, isAutomatic: false)
    }
  }

  /// A folder that several programs share. Apple's.
  public struct GroupContainer: Hashable, Sendable {
    let name: String?

    /// The program's own folder, since there are no entitlements that name a group. Apple's.
    public static var automatic: GroupContainer { GroupContainer(name: nil) }
    /// The program's own folder. Apple's.
    public static var none: GroupContainer { GroupContainer(name: nil) }
    /// The folder of a group, beside those of programs. Apple's.
    ///
    /// - Parameter groupName: The name of the group.
    /// - Returns: The container.
    public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer(name: groupName) }
  }

  /// Describes a store of all entities in the default file, or in memory. Apple's.
  ///
  /// - Parameter isStoredInMemoryOnly: Whether the store is in memory.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Describes a store of some models in the default file, or in memory. Apple's.
  ///
  /// - Parameters:
  ///   - forTypes: The models of the store.
  ///   - isStoredInMemoryOnly: Whether the store is in memory.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// Describes a store in a file named after the configuration, or in memory. Apple's.
  ///
  /// - Parameters:
  ///   - name: The name of the file; nil for `default`.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - isStoredInMemoryOnly: Whether the store is in memory.
  ///   - allowsSave: Whether the store may change.
  ///   - groupContainer: The folder of the file.
  ///   - cloudKitDatabase: Has no effect.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    groupContainer: GroupContainer = .automatic, cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    let name = name ?? "default"
    self.init(
      name: name, schema: schema,
      url: isStoredInMemoryOnly ? StoreLocation.memory(name) : StoreLocation.file(name, group: groupContainer.name),
      isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave, groupContainer: groupContainer,
      cloudKitDatabase: cloudKitDatabase)
  }

  /// Describes a store in a given file. Apple's.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration; nil for that of the file.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - url: The file. Missing folders are created with the store.
  ///   - allowsSave: Whether the store may change.
  ///   - cloudKitDatabase: Has no effect.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true,
    cloudKitDatabase: CloudKitDatabase = .automatic
  ) {
    self.init(
      name: name, schema: schema, url: url,
      isStoredInMemoryOnly: false, allowsSave: allowsSave, groupContainer: .none,
      cloudKitDatabase: cloudKitDatabase)
  }

  private init(
    name: String?, schema: Schema?, url: URL, isStoredInMemoryOnly: Bool, allowsSave: Bool,
    groupContainer: GroupContainer, cloudKitDatabase: CloudKitDatabase
  ) {
    self.givenName = name
    self.schema = schema
    self.url = url
    self.path = url.path
    self.isStoredInMemoryOnly = isStoredInMemoryOnly
    self.allowsSave = allowsSave
    self.groupContainer = groupContainer
    self.groupAppContainerIdentifier = groupContainer.name
    self.cloudKitDatabase = cloudKitDatabase
    self.cloudKitContainerIdentifier = cloudKitDatabase.container
  }
}

extension ModelConfiguration: CustomDebugStringConvertible {
  /// The name and the path. Apple's.
  public var debugDescription: String {
    isStoredInMemoryOnly
      ? "ModelConfiguration(\"\(name)\", in memory)"
      : "ModelConfiguration(\"\(name)\", \(url.path(percentEncoded: false)))"
  }
}
