import Foundation
import Testing

/// Examples in documentation comments are in a program that the compiler is given.
@Suite("Examples in the documentation of queries")
struct ExampleTests {
  /// Parts of the paths of sources whose examples are in the program, in whichever module they are.
  private static let places = [
    "/PersistenceQueries/", "/PersistenceSupport/Foundation/", "/Database+Values.swift", "/ModelContext+Values.swift",
    "/FetchExplanation.swift",
  ]

  @Test("compile without errors and warnings")
  func compile() throws {
    #expect(try Compiler.current().messages(about: [program()]) == [])
  }

  @Test("equal those of the tested program, line by line")
  func lines() throws {
    let program = try String(contentsOf: program(), encoding: .utf8)
    let lines = try Self.exampleLines()
    #expect(lines.count >= 15)
    for line in lines { #expect(program.contains(line), "\(line)") }
  }

  private func program() throws -> URL {
    try #require(try Program.all(in: "Examples").first).file
  }

  /// The lines of code of all examples, without comments in them.
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

  /// The sources with such examples.
  private static func files() -> [URL] {
    let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardizedFileURL
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.allObjects ?? []
    return files.compactMap { $0 as? URL }.filter { file in
      guard file.pathExtension == "swift" else { return false }
      let path = file.path.dropFirst(sources.path.count)
      return places.contains { path.contains($0) }
    }
  }
}
