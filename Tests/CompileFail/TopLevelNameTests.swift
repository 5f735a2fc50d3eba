import Foundation
import Testing

/// `import SwiftData` makes only Apple's names visible, so a program may declare types with the names of OpenSwiftData.
@Suite("Names at the top level")
struct TopLevelNameTests {
  @Test("A module that imports SwiftData may declare every name of OpenSwiftData", arguments: [false, true])
  func names(isStrict: Bool) throws {
    let names = try PublicNames.ours()
    #expect(names.isSuperset(of: ["ConflictPolicy", "Database", "EncryptionKey", "MigrationPlan", "Model"]))
    let folder = try TemporaryPrograms()
    try folder.add(Self.module(of: names), named: "Workshop")
    let workshop = try folder.compile(["Workshop"], ["-emit-module", "-o", folder.path("Workshop.swiftmodule")])
    #expect(workshop.isEmpty, "\(workshop)")
    try folder.add(Self.program(using: names), named: "Program")
    // With this feature, a member is visible in a file only if that file imports the member's module, as in the next
    // language mode.
    let strict = isStrict ? ["-enable-upcoming-feature", "MemberImportVisibility"] : []
    let output = try folder.compile(["Program"], ["-typecheck"] + strict)
    #expect(output.isEmpty, "\(output)")
  }

  @Test("`import OpenSwiftData` makes the library's own names visible without a prefix")
  func ours() throws {
    let folder = try TemporaryPrograms()
    let aliases = try PublicNames.aliases().sorted()
    #expect(aliases.contains("EncryptionKey") && aliases.contains("ConflictPolicy"))
    let uses = aliases.map { "func use(_ value: \($0)) {}" }.joined(separator: "\n")
    let source = """
      import OpenSwiftData
      @Model @ModelValue final class Trip {
        var name: String = ""
        var days: Int = 0
        init() {}
      }
      func rename(_ trip: Model<Trip>, in database: any Database) async throws {
        try await database.update(trip) { $0.name = "Oslo" }
      }
      func values(_ context: ModelContext) throws -> ([Trip.Value], Int) {
        (try context.fetchValues(FetchDescriptor<Trip>()), try context.sum(of: \\Trip.days))
      }
      \(uses)
      """
    try folder.add(source, named: "Ours")
    let strict = ["-enable-upcoming-feature", "MemberImportVisibility"]
    let output = try folder.compile(["Ours"], ["-typecheck"] + strict)
    #expect(output.isEmpty, "\(output)")
  }

  @Test(
    "Programs that import both modules cannot use the C functions that the library's inlined code calls"
  )
  func runtimeNames() throws {
    let names = try PublicNames.ofRuntime()
    #expect(names.isSuperset(of: ["osd_is_decoding", "osd_load_relaxed", "swift_tryRetain"]))
    let uses = names.sorted().map { "let \($0)_use = \($0)" }.joined(separator: "\n")
    let folder = try TemporaryPrograms()
    try folder.add("import OpenSwiftData\nimport SwiftData\n\(uses)", named: "Runtime")
    let output = try folder.compile(["Runtime"], ["-typecheck"])
    for name in names { #expect(output.contains("cannot find '\(name)' in scope"), "\(output)") }
  }

  /// The source of a module that declares a type with each of these names.
  private static func module(of names: Set<String>) -> String {
    names.sorted().map { "public struct \($0) {\n  public init() {}\n}" }.joined(separator: "\n")
  }

  /// The source of a program that uses these types of the module `Workshop` together with Apple's types.
  private static func program(using names: Set<String>) -> String {
    let uses = names.sorted().map { "func use(_ value: \($0)) -> \($0) { \($0)() }" }.joined(separator: "\n")
    return """
      import SwiftData
      import Workshop
      @Model final class Trip {
        var name = ""
        var days = 0
        var legs: [Leg] = []
        init() {}
      }
      @Model final class Leg {
        var trip: Trip?
        init() {}
      }
      @ModelActor actor Library {
        func long() throws -> [String] {
          let descriptor = FetchDescriptor<Trip>(predicate: #Predicate { $0.days > 3 }, sortBy: [SortDescriptor(\\.name)])
          return try modelContext.fetch(descriptor).map(\\.name)
        }
      }
      func configure(_ context: ModelContext, _ configuration: inout ModelConfiguration, _ key: Data) {
        context.conflictPolicy = .throwError
        let policy = ModelContext.ConflictPolicy.mergeByProperty(keeping: .theirs)
        if context.conflictPolicy != policy { context.conflictPolicy = policy }
        configuration.uniquenessPolicy = .throwError
        configuration.encryptionKey = ModelConfiguration.EncryptionKey(bytes: key)
        configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .milliseconds(50))
        configuration.migrationProgress = ModelContainer.MigrationProgress()
      }
      func code(of error: SwiftDataError) -> Int32? {
        (error.underlyingError as? SwiftDataError.SQLiteError)?.primaryCode
      }
      \(uses)
      """
  }
}

/// The public types at the top level of the library's modules, read from their sources.
enum PublicNames {
  /// The names that Apple's framework declares, and names of Foundation that are missing on Linux.
  private static let apples: Set<String> = [
    "BackingData", "DataStore", "DataStoreBatchDeleteRequest", "DataStoreBatching", "DataStoreConfiguration",
    "DataStoreError", "DataStoreFetchRequest", "DataStoreFetchResult", "DataStoreSaveChangesRequest",
    "DataStoreSaveChangesResult", "DataStoreSnapshot", "DataStoreSnapshotCodingKey", "DataStoreSnapshotValue",
    "DefaultSnapshot", "DefaultStore", "DefaultHistoryDelete", "DefaultHistoryInsert", "DefaultHistoryToken",
    "DefaultHistoryTransaction", "DefaultHistoryUpdate", "DefaultModelExecutor", "DefaultSerialModelExecutor",
    "EditingState", "FetchDescriptor", "FetchResultsCollection", "HistoryChange", "HistoryDelete", "HistoryDescriptor",
    "HistoryInsert", "HistoryObserver", "HistoryProviding", "HistoryToken", "HistoryTombstone", "HistoryTransaction",
    "HistoryUpdate", "MigrationStage", "ModelActor", "ModelConfiguration", "ModelContainer", "ModelContext",
    "ModelExecutor",
    "PersistentIdentifier", "PersistentModel", "RelationshipCollection", "ResultsObserver", "ResultsSection", "Schema",
    "SchemaMigrationPlan", "SchemaProperty", "SectionedResults", "SerialModelExecutor", "SwiftDataError", "UndoManager",
    "ValueTransformer", "VersionedSchema",
  ]

  /// The public names that are not Apple's. Names that begin with an underscore are omitted, because programs do not
  /// use them.
  static func ours() throws -> Set<String> {
    try names(in: "").subtracting(apples).filter { !$0.hasPrefix("_") }
  }

  /// The typealiases in the module OpenSwiftData.
  static func aliases() throws -> Set<String> { try names(in: "OpenSwiftData/") }

  /// The functions of the library's C module.
  static func ofRuntime() throws -> Set<String> {
    let header = URL(filePath: #filePath).appending(path: "../../../Sources/_CSwiftRuntime/include/_CSwiftRuntime.h")
    let text = try String(contentsOf: header.standardizedFileURL, encoding: .utf8)
    return Set(text.matches(of: /\b((?:osd|swift)_\w+)\(/).map { String($0.1) })
  }

  private static func names(in module: String) throws -> Set<String> {
    let sources = URL(filePath: #filePath).appending(path: "../../../Sources/\(module)").standardizedFileURL
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.allObjects ?? []
    var names: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        if let name = declaredName(in: line) { names.insert(name) }
      }
    }
    return names
  }

  /// The name of the public type that the line declares at the top level; nil if it declares none.
  private static func declaredName(in line: Substring) -> String? {
    let words = line.split(separator: " ").filter { !$0.hasPrefix("@") }
    guard let first = line.first, first != " ", words.contains("public") || words.contains("open") else { return nil }
    let kinds: Set<Substring> = ["class", "struct", "enum", "actor", "protocol", "typealias"]
    guard let kind = words.firstIndex(where: { kinds.contains($0) }), kind + 1 < words.count else { return nil }
    return String(words[kind + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" })
  }
}

/// Source files in a temporary folder, which the tests compile.
private final class TemporaryPrograms {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "names-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  func add(_ source: String, named name: String) throws {
    try Data(source.utf8).write(to: folder.appending(path: "\(name).swift"))
  }

  /// Compiles the files as one module, which has the name of the first file, and returns the compiler's output.
  func compile(_ names: [String], _ flags: [String]) throws -> String {
    let files = names.map { folder.appending(path: "\($0).swift") }
    let own = ["-swift-version", "6", "-module-name", names[0], "-I", folder.path]
    return try Compiler.current().output(about: files, flags: flags + own)
  }
}
