import ConformanceSupport
import Foundation
import Testing

/// Tests the documentation page about files that import only Foundation. The compiler must report the page's messages
/// for the programs in the folder `Foundation`, and the page's remedies must make these programs compile.
@Suite("The table of names that Foundation lacks")
struct FoundationTableTests {
  private static let visibility = ["-enable-upcoming-feature", "MemberImportVisibility"]

  /// The macro's messages for a predicate that contains a comparison result as a literal.
  private static let macroMessages = [
    "Member access without an explicit base is not supported in this predicate",
    "key path cannot refer to enum case 'orderedSame'",
  ]

  /// The compiler's message for a member whose module is imported only by another file. The message names the module
  /// that declares the member. PersistenceCore exports this module.
  private static let missingImport = "is not available due to missing import of defining module 'Persistence"

  private struct Row {
    let message: String
    let cure: String

    /// The rows of the page whose first cell is code.
    static func all() throws -> [Row] {
      let lines = try FoundationTableTests.page().split(separator: "\n")
      return lines.filter { $0.hasPrefix("| `") }.map { line in
        let cells = line.split(separator: "|", omittingEmptySubsequences: true).map(String.init)
        return Row(message: cells[0].trimmingCharacters(in: CharacterSet(charactersIn: " `")), cure: cells[1])
      }
    }
  }

  /// The text of the page.
  static func page() throws -> String {
    let file = URL(filePath: #filePath).appending(path: "../../../docs/files-that-import-foundation.md")
    return try String(contentsOf: file.standardizedFileURL, encoding: .utf8)
  }

  @Test(
    "A file with Foundation alone lacks the names, and lacks the members if no file of its module imports SwiftData"
  )
  func messages() throws {
    let (names, members) = (try program("Names"), try program("Members"))
    let compiler = try Compiler.current()
    try names.expect(try compiler.messages(about: [names.file]))
    try members.expect(try compiler.messages(about: [members.file]))
    let trips = try program("Trips").file
    try names.expect(try compiler.messages(about: [names.file, trips]))
    #expect(try compiler.messages(about: [members.file, trips]) == [])
  }

  @Test(
    "With MemberImportVisibility, each such file lacks the members, and the message names a module of the library")
  func visibility() throws {
    let files = [try program("Members").file, try program("Trips").file]
    let messages = try Compiler.current().messages(about: files, flags: Self.visibility)
    #expect(messages.count >= 6)
    for message in messages {
      #expect(message.contains(Self.missingImport), "\(message)")
    }
  }

  @Test("A file that re-exports SwiftData, or the compiler's flag -import-module, makes all names and members visible")
  func cures() throws {
    let files = try ["Names", "Members", "Trips"].map { try program($0).file }
    let compiler = try Compiler.current()
    #expect(try compiler.messages(about: files + [program("Exports").file], flags: Self.visibility) == [])
    let flag = ["-Xfrontend", "-import-module", "-Xfrontend", "SwiftData"]
    #expect(try compiler.messages(about: files, flags: Self.visibility + flag) == [])
  }

  @Test("The compiler reports each message of the table for a test program, and the table has all messages it reports")
  func rows() throws {
    let rows = try Row.all().map(\.message)
    let expected = try ["Names", "Members"].flatMap { try program($0).expectedErrors }
    #expect(expected.count >= 13)
    for error in expected { #expect(rows.contains { $0.contains(error) || error.contains($0) }, "\(error)") }
    let others = [Self.missingImport] + Self.macroMessages
    for row in rows { #expect((expected + others).contains { $0.contains(row) || row.contains($0) }, "\(row)") }
  }

  @Test("A predicate has to capture a comparison result from a variable, even in a file that imports SwiftData")
  func result() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    func messages(comparingWith result: String) throws -> [String] {
      let file = folder.appending(path: "Same.swift")
      let source = """
        import SwiftData
        struct Row { var name = "" }
        func same(_ word: String) -> Predicate<Row> {
          let same = ComparisonResult.orderedSame
          _ = same
          return #Predicate { $0.name.localizedCompare(word) == \(result) }
        }
        """
      try source.write(to: file, atomically: true, encoding: .utf8)
      return try Compiler.current().messages(about: [file])
    }
    let refused = [".orderedSame": Self.macroMessages[0], "ComparisonResult.orderedSame": Self.macroMessages[1]]
    for (result, message) in refused {
      #expect(try messages(comparingWith: result).contains { $0.contains(message) }, "\(result)")
    }
    #expect(try messages(comparingWith: "same") == [])
  }

  private func program(_ name: String) throws -> Program {
    try #require(try Program.all(in: "Foundation").first { $0.name == name })
  }
}
