import ConformanceSupport
import Foundation
import Testing

/// The table records for each of Apple's declarations whether the library has it. The test compiles code that uses the
/// declaration to check this.
///
/// One run of the compiler checks all uses. If the library gains a declaration, the test fails until the table lists
/// the declaration as present.
@Suite("The table of Apple's declarations")
struct DeclarationTableTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Contract")

  private static func table() throws -> DeclarationTable {
    DeclarationTable(try String(contentsOf: folder.appending(path: "declarations.txt"), encoding: .utf8))
  }

  /// The uses of declarations in the files, and the compiler's errors for these files.
  private static func compile(_ files: [URL]) throws -> (uses: [DeclaredUse], errors: [String]) {
    let output = try Compiler.current().output(about: files, flags: ["-typecheck", "-swift-version", "6"])
    return (try files.flatMap(DeclaredUse.all), output.split(separator: "\n").map(String.init))
  }

  @Test("The use of each present declaration compiles, the use of each missing one does not, and each use has a row")
  func declarations() throws {
    let files = try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
    let (uses, errors) = try Self.compile(files.filter { $0.pathExtension == "swift" })
    #expect(uses.count >= 650)
    let problems = try Self.table().problems(uses: uses, errors: errors)
    #expect(problems.isEmpty, "\(problems.joined(separator: "\n"))")
  }

  @Test("The check reports a declaration that was added, one that was removed, and one without a use")
  func control() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Uses.swift")
    try Data(Self.uses.utf8).write(to: file)
    let (uses, errors) = try Self.compile([file])
    let problems = DeclarationTable(Self.rows).problems(uses: uses, errors: errors)
    #expect(problems.map { $0.components(separatedBy: ": ")[0] }.sorted() == Self.wrong.sorted(), "\(problems)")
  }

  /// The problems that the check must find in the rows and the source below, by their declaration or kind.
  private static let wrong = [
    "Schema.gone", "Schema.come", "Schema.unused", "Schema.moved", "Schema.elsewhere", "Schema.rowless", "Schema.other",
    "Schema.twice", "no row", "Schema.headless", "in code of no use", "Schema.empty",
  ]

  private static let rows = """
    # A comment.
    4 | present | Schema.version | Uses.swift
    4 | missing | Schema.lost | Uses.swift
    4 | present | Schema.entity(for:) | Uses.swift
    4 | present | Schema.gone | Uses.swift
    4 | missing | Schema.come | Uses.swift
    4 | present | Schema.unused | Uses.swift
    4 | present | Schema.moved | Others.swift
    4 | elsewhere | Schema.elsewhere | -
    4 | present | Schema.other | Uses.swift
    4 | missing | Schema.twice | Uses.swift
    4 | missing | Schema.twice | Uses.swift
    4 | perhaps | Schema.none | Uses.swift
    4 | present | Schema.headless | Uses.swift
    4 | missing | Schema.headlost | Uses.swift
    4 | present | Schema.empty | Uses.swift
    """

  private static let uses = """
    import SwiftData
    extension Schema {
      var come: Int { 1 }
      var moved: Int { 1 }
      var elsewhere: Int { 1 }
      var rowless: Int { 1 }
    }

    func lines(_ schema: Schema) {
      let _: Schema.Version = schema.version  // use: Schema.version
      let _: Int = schema.lost  // use: Schema.lost
      // use: Schema.gone
      let _: Int = schema.gone
      let _: Int = schema.come  // use: Schema.come
      let _: Int = schema.moved  // use: Schema.moved
      let _: Int = schema.elsewhere  // use: Schema.elsewhere
      let _: Int = schema.rowless  // use: Schema.rowless
      let _: Schema.Version = schema.version  // use: Schema.other
      let _: Int = schema.twice  // use: Schema.twice
    }

    // use: Schema.entity(for:)
    func entity<T: PersistentModel>(_ schema: Schema, for type: T.Type) -> Schema.Entity? {
      schema.entity(for: type)
    }

    func head(_ schema: Unknown) {
      _ = schema.headless  // use: Schema.headless
      _ = schema.headlost  // use: Schema.headlost
    }

    func stray() -> Unknown? { nil }

    // use: Schema.empty

    """
}
