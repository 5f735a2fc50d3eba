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
  /// The file of the store. Apple's. For a store in memory, no file exists at this URL.
  public let url: URL
  /// The path of the file. It is stored, because computing it takes a measurable part of the time to open a store.
  package let path: String
  /// The name that was given, or else the name of the file without its extension. Apple's.
  public var name: String { givenName ?? url.deletingPathExtension().lastPathComponent }
  /// The given name. The file's name is computed on demand: it is rarely needed and takes microseconds.
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
  /// Whether saves may change the store. Apple's. If false, the store is opened read-only.
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
  /// How long the store keeps its history: 30 days and at most 64 MB by default. Ours.
  public var history: History = .standard
  /// The key that values of `.encrypt` attributes are encrypted with. Ours.
  public var encryptionKey: EncryptionKey?
  /// Keys that stored values may still be encrypted with. They are used only to decrypt values. Ours.
  ///
  /// After ``ModelContainer/reencrypt(batchSize:progress:)`` they are no longer needed. Every program that uses the
  /// store must have the new key, here or as its ``encryptionKey``, before the first program encrypts with it.
  public var formerEncryptionKeys: [EncryptionKey] = []

  /// Reports the progress of a migration when the store is opened; nil for no report. Ours.
  public var migrationProgress: ModelContainer.MigrationProgress?
  /// Whether a migration first copies the store to `<store>_backup`. Ours.
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
    /// The end of the process, and a power failure. Every save waits for the disk.
    case powerFailure
  }

  /// How long a store keeps its history. Ours.
  ///
  /// A save writes one row of history, in the transaction of the save. Records that are older than the maximum age, and
  /// the oldest records beyond the maximum size, are deleted at intervals. Tokens that are older than a deleted record
  /// expire: `ModelContext.fetchHistory(_:)` then throws `SwiftDataError.historyTokenExpired`.
  public struct History: Hashable, Sendable {
    package let isKept: Bool
    package let maximumAge: Duration?
    package let maximumSize: Int?

    /// No history: saves write nothing but rows. An existing history can still be fetched.
    public static let off = History(isKept: false, maximumAge: nil, maximumSize: nil)
    /// The history of the last 30 days, and at most 64 MB of it.
    public static let standard = kept(for: .seconds(30 * 86_400), upTo: 64 << 20)

    /// A history with limits.
    ///
    /// - Parameters:
    ///   - maximumAge: The age at which records are deleted; nil for no limit.
    ///   - maximumSize: The size of all records, in bytes, above which the oldest are deleted; nil for no limit.
    /// - Returns: The history.
    public static func kept(for maximumAge: Duration? = nil, upTo maximumSize: Int? = nil) -> History {
      History(isKept: true, maximumAge: maximumAge, maximumSize: maximumSize)
    }
  }

  /// A CloudKit database. Apple's. It has no effect: there is no CloudKit here.
  public struct CloudKitDatabase: Hashable, Sendable {
    let container: String?
    let isAutomatic: Bool

    /// The database that the program's entitlements name. Apple's.
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
    /// A folder that the programs of a group share. It is beside the programs' own folders. Apple's.
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
  ///   - name: The name of the configuration; nil for the name of the file.
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

// Ours: Apple's initialisers with a key, for stores with `.encrypt` attributes.

extension ModelConfiguration {
  /// Describes a store in a file named after the configuration, or in memory, with a key for `.encrypt` attributes.
  /// Ours.
  ///
  /// - Parameters:
  ///   - name: The name of the file; nil for `default`.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - isStoredInMemoryOnly: Whether the store is in memory.
  ///   - allowsSave: Whether the store may change.
  ///   - encryptionKey: The key of encrypted attributes.
  ///   - formerEncryptionKeys: Keys that values may still be encrypted with. See ``formerEncryptionKeys``.
  public init(
    _ name: String? = nil, schema: Schema? = nil, isStoredInMemoryOnly: Bool = false, allowsSave: Bool = true,
    encryptionKey: EncryptionKey, formerEncryptionKeys: [EncryptionKey] = []
  ) {
    self.init(name, schema: schema, isStoredInMemoryOnly: isStoredInMemoryOnly, allowsSave: allowsSave)
    self.encryptionKey = encryptionKey
    self.formerEncryptionKeys = formerEncryptionKeys
  }

  /// Describes a store in a given file, with a key for `.encrypt` attributes. Ours.
  ///
  /// - Parameters:
  ///   - name: The name of the configuration; nil for the name of the file.
  ///   - schema: The entities of the store; nil for all entities of the container.
  ///   - url: The file. Missing folders are created with the store.
  ///   - allowsSave: Whether the store may change.
  ///   - encryptionKey: The key of encrypted attributes.
  ///   - formerEncryptionKeys: Keys that values may still be encrypted with. See ``formerEncryptionKeys``.
  public init(
    _ name: String? = nil, schema: Schema? = nil, url: URL, allowsSave: Bool = true, encryptionKey: EncryptionKey,
    formerEncryptionKeys: [EncryptionKey] = []
  ) {
    self.init(name, schema: schema, url: url, allowsSave: allowsSave)
    self.encryptionKey = encryptionKey
    self.formerEncryptionKeys = formerEncryptionKeys
  }
}

// Ours. The types are nested in Apple's type, because top-level names would clash with those of programs.

extension ModelConfiguration {
  /// The key of a store's encrypted attributes. Ours.
  public typealias EncryptionKey = _PersistenceRuntime.EncryptionKey
  /// A log of the slow statements of a store. Ours.
  public typealias SlowStatementLog = _PersistenceRuntime.SlowStatementLog
  /// What a save does with a new model whose unique values exist in another row. Ours.
  public typealias UniquenessPolicy = _PersistenceRuntime.UniquenessPolicy
}

extension ModelConfiguration {
  /// Checks that the name can be a file name. Opening a container calls it. Apple's.
  ///
  /// - Throws: `SwiftDataError.configurationFileNameTooLong` or `.configurationFileNameContainsInvalidCharacters`.
  public func validate() throws {
    guard !isStoredInMemoryOnly else { return }
    // File systems allow 255 bytes. `_external` is the longest suffix of the files beside the store.
    let longest = 255 - 9
    // Finding the last component takes time. It is skipped for a short path, whose last component cannot be too long.
    let isShort = path.utf8.count <= longest || fileName.utf8.count <= longest
    guard isShort, (givenName?.utf8.count ?? 0) <= longest else {
      throw SwiftDataError(
        .configurationFileNameTooLong,
        "the store name '\(name.prefix(40))…' makes a file name of \(name.utf8.count) bytes; at most \(longest) are possible"
      )
    }
    // A name taken from a URL is a file name already.
    guard let name = givenName ?? (path.isEmpty || path.utf8.last == UInt8(ascii: "/") ? "" : nil) else { return }
    guard !name.isEmpty, !name.utf8.contains(where: { $0 == 0 || $0 == 0x2F }), name != ".", name != ".." else {
      throw SwiftDataError(
        .configurationFileNameContainsInvalidCharacters,
        "'\(name)' cannot be the name of a store: it names a file, so it must not be empty or contain '/' or NUL")
    }
  }

  /// The last component of the path. Finding it by `URL` takes several times as long.
  private var fileName: Substring {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
  }
}

/// The URLs of stores whose configuration gives no URL.
enum StoreLocation {
  /// The file of a store that has a name and no URL, in the folder of the program or of a group.
  static func file(_ name: String, group: String?) -> URL {
    dataFolder
      .appending(component: group.map { "group.\(fileName($0))" } ?? program, directoryHint: .isDirectory)
      // `validate` rejects an invalid name later. Until then the path must stay inside the folder.
      .appending(component: fileName(name) + ".store", directoryHint: .notDirectory)
  }

  static func memory(_ name: String) -> URL {
    URL(filePath: "/dev/null").appending(component: fileName(name))
  }

  /// The folder for data of the user's programs: `$XDG_DATA_HOME`, or the system's default.
  private static var dataFolder: URL {
    let environment = ProcessInfo.processInfo.environment
    if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
      return URL(filePath: path, directoryHint: .isDirectory)
    }
    if let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first {
      return folder
    }
    return FileManager.default.homeDirectoryForCurrentUser.appending(path: ".local/share", directoryHint: .isDirectory)
  }

  /// The name of the folder for the program's stores.
  private static var program: String {
    let name = Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName
    return fileName(name.isEmpty ? "program" : name)
  }

  private static func fileName(_ name: String) -> String {
    String(name.map { $0 == "/" || $0 == "\0" ? "_" : $0 })
  }
}
