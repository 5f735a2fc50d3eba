import Foundation
import Testing

/// A pause of fixed length fails on a busy machine, and wastes time on other machines.
@Suite("The pauses of tests")
struct SleepTests {
  private static let pauses = ["Task.sleep(", "Thread.sleep(", "usleep(", "nanosleep(", " sleep("]

  /// The lines of all test sources, except the sources that implement waiting.
  private static func sources() throws -> [(name: String, lines: [String])] {
    let tests = URL(filePath: #filePath).appending(path: "../..").standardizedFileURL
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.allObjects ?? []
    return try files.compactMap { $0 as? URL }.filter {
      $0.pathExtension == "swift" && !["Waiting.swift", "SleepTests.swift"].contains($0.lastPathComponent)
    }.map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8).components(separatedBy: "\n")) }
  }

  @Test("tests wait for named conditions with eventually or waitUntil, and let time pass only to test elapsed time")
  func named() throws {
    let sources = try Self.sources()
    #expect(sources.count > 300)
    for (name, lines) in sources {
      for line in lines where Self.pauses.contains(where: { line.contains($0) }) {
        Issue.record("\(name): \(line)")
      }
    }
  }

  @Test("a test that lets time pass has a comment with the reason in the line above")
  func explained() throws {
    var count = 0
    for (name, lines) in try Self.sources() {
      for (line, above) in zip(lines.dropFirst(), lines) where line.contains(" letTimePass(") {
        count += 1
        let isExplained = above.contains("// ")
        #expect(isExplained, "\(name): \(line)")
      }
    }
    #expect(count > 10)
  }
}
