import Foundation
import PersistenceRuntime
import PersistenceSchemas
import PersistenceSupport

/// Where a container keeps some of its models, and how.
///
/// A container of several configurations has a store for each, and each commits for itself: a save is whole in one store, and
/// can come apart between two if a disk fails or the process is killed between their commits. See ``ModelContext/save()``.
///
/// Without a name or URL the store is the file `default.store` in a folder that belongs to the program: on Linux
/// `$XDG_DATA_HOME/<program>/` or `~/.local/share/<program>/`. Two programs never share it.
public struct ModelConfiguration: Identifiable, Hashable, Sendable {
  /// The file of the store. Stores in memory have a URL that names no file.
  public let url: URL
  /// The path of the file, which takes a part of opening a store that can be measured to find.
  package let path: String
  /// The name that was given, or that of the file without its extension.
  public var name: String { givenName ?? url.deletingPathExtension().lastPathComponent }
  /// Kept apart, because taking a URL apart costs a few microseconds and few ask for the name.
  let givenName: String?
  public let groupAppContainerIdentifier: String?
  public let cloudKitContainerIdentifier: String?
  public let groupContainer: GroupContainer
  /// Accepted for the sake of code that is shared with Apple's systems; there is no CloudKit here.
  public let cloudKitDatabase: CloudKitDatabase
  /// The entities that the store holds; nil for all of the container's.
  public var schema: Schema?
  /// Whether the store may change. A store that may not is opened read-only.
  public let allowsSave: Bool
  /// Whether the store is in memory, private to its container, and gone with it.
  public let isStoredInMemoryOnly: Bool

  /// How long to wait for another process or context that is writing, before `SwiftDataError.storeBusy`. Ours.
  public var busyTimeout: Duration = .seconds(5)
  /// What a save does with a new model whose unique values another row has. Ours.
  public var uniquenessPolicy: UniquenessPolicy = .updateExisting
  /// What a save survives. Ours.
  public var durability: Durability = .processCrash
  /// Where statements are logged that take long; nil for nowhere. Ours.
  public var slowStatementLog: SlowStatementLog?
  /// The key of attributes that are declared with `.encrypt`: the one that values are encrypted with. Ours.
  public var encryptionKey: EncryptionKey?
  /// Other keys that values of the store may be encrypted with, as far as ``ModelContainer/reencrypt(batchSize:progress:)``
  /// has not been over them: they are read, and never encrypted with. Ours.
  ///
  /// Every program that uses the store must have the new key, here or as its ``encryptionKey``, before one encrypts with it.
  public var formerEncryptionKeys: [EncryptionKey] = []

  /// Hears how far a migration is that opening the store needs. Ours.
  public var migrationProgress: ModelContainer.MigrationProgress?
  /// Whether a store that is migrated is copied before, into `<store>_backup`, until the migrated store has been opened
  /// once more. Ours.
  public var keepsMigrationBackup = false
  /// How long to wait for another process that is migrating the store, before `SwiftDataError.storeBusy`. Ours.
  public var migrationTimeout: Duration = .seconds(600)

  public var id: URL { url }

  /// What a save survives, once it has returned.
  public enum Durability: Hashable, Sendable {
    /// The end of the process at any moment. At a power failure the last saves may be missing; what is there is whole.
    case processCrash
    /// A power failure too, which makes every save wait for the disk.
    case powerFailure
  }

  public struct CloudKitDatabase: Hashable, Sendable {
    let container: String?
    let isAutomatic: Bool

    public static var automatic: CloudKitDatabase { CloudKitDatabase(container: nil, isAutomatic: true) }
    public static var none: CloudKitDatabase { CloudKitDatabase(container: nil, isAutomatic: false) }
    public static func `private`(_ privateDBName: String) -> CloudKitDatabase {
      CloudKitDatabase(container: privateDBName, isAutomatic: false)
    }
  }

  /// A folder that several programs share.
  public struct GroupContainer: Hashable, Sendable {
    let name: String?

    /// The program's own folder: there are no entitlements to take a group from.
    public static var automatic: GroupContainer { GroupContainer(name: nil) }
    public static var none: GroupContainer { GroupContainer(name: nil) }
    /// The folder of a group, beside those of programs.
    public static func identifier(_ groupName: String) -> GroupContainer { GroupContainer(name: groupName) }
  }

  /// A store of all models in the default file, or in memory.
  public init(isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: nil, isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store of some models in the default file, or in memory.
  public init(for forTypes: any PersistentModel.Type..., isStoredInMemoryOnly: Bool = false) {
    self.init(nil, schema: Schema(forTypes), isStoredInMemoryOnly: isStoredInMemoryOnly)
  }

  /// A store in a file that is named after the configuration, or in memory.
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

  /// A store in a given file. Folders on the way to it that are missing are made with the store.
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
  public var debugDescription: String {
    isStoredInMemoryOnly
      ? "ModelConfiguration(\"\(name)\", in memory)"
      : "ModelConfiguration(\"\(name)\", \(url.path(percentEncoded: false)))"
  }
}
