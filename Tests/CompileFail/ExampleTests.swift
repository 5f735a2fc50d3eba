import Foundation
import Testing

/// The examples in documentation comments are repeated in programs that these tests compile.
@Suite("Examples in the documentation")
struct ExampleTests {
  /// The files whose examples are in no program, because they are parts of declarations or need a separate program.
  private static let sketches = [
    "/Macros.swift", "/ModelValue+Macro.swift", "/EncryptionKey.swift", "/ModelContainer+Reencryption.swift",
    "/MigrationProgress.swift", "/VersionedSchema+Hash.swift",
  ]

  @Test("the examples compile without errors and warnings", arguments: try Program.all(in: "Examples"))
  func compile(_ program: Program) throws {
    #expect(try Compiler.current().messages(about: [program.file]) == [])
  }

  @Test("each line of an example in a documentation comment is also in a compiled program")
  func lines() throws {
    let programs = try Program.all(in: "Examples").map { try String(contentsOf: $0.file, encoding: .utf8) }
    let lines = try Self.exampleLines()
    #expect(lines.count >= 70)
    for line in lines { #expect(programs.contains { $0.contains(line) }, "\(line)") }
  }

  @Test("each line of an example in an article is also in a compiled program", arguments: ["live-queries.md"])
  func article(_ name: String) throws {
    let programs = try Program.all(in: "Examples").map { try String(contentsOf: $0.file, encoding: .utf8) }
    let file = URL(filePath: #filePath).appending(path: "../../../docs/\(name)").standardizedFileURL
    let blocks = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
    let lines = blocks.flatMap { ($0.components(separatedBy: "```").first ?? "").split(separator: "\n") }
    #expect(lines.count >= 20)
    for line in lines {
      let code = line.trimmingCharacters(in: .whitespaces)
      #expect(programs.contains { $0.contains(code) }, "\(code)")
    }
  }

  /// The lines of code of all examples, without comment lines.
  private static func exampleLines() throws -> [String] {
    var result: [String] = []
    for file in files() {
      var isExample = false
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let text = line.trimmingCharacters(in: .whitespaces)
        guard text.hasPrefix("///") else { continue }
        let code = text.dropFirst(3).trimmingCharacters(in: .whitespaces)
        if code.hasPrefix("```") { isExample = code == "```swift" }
        guard isExample, !code.hasPrefix("```"), !code.hasPrefix("//"), !code.isEmpty else { continue }
        result.append(code)
      }
    }
    return result
  }

  /// All Swift files of the library except those in `sketches`.
  private static func files() -> [URL] {
    let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardizedFileURL
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.allObjects ?? []
    return files.compactMap { $0 as? URL }.filter { file in
      guard file.pathExtension == "swift" else { return false }
      return !sketches.contains { file.path.hasSuffix($0) }
    }
  }
}
