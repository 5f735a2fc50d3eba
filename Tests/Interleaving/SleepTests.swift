import Foundation
import Testing

/// A test that waits for a fixed time fails on a busy machine, and is slower than necessary on other machines.
@Suite("Tests that wait")
struct SleepTests {
  private static let pauses = ["Task.sleep(", "Thread.sleep(", "usleep(", "nanosleep(", " sleep("]

  /// The lines of all test sources, except the two files that implement or check waiting.
  private static func sources() throws -> [(name: String, lines: [String])] {
    let tests = URL(filePath: #filePath).appending(path: "../..").standardizedFileURL
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.allObjects ?? []
    return try files.compactMap { $0 as? URL }.filter {
      $0.pathExtension == "swift" && !["Waiting.swift", "SleepTests.swift"].contains($0.lastPathComponent)
    }.map { ($0.lastPathComponent, try String(contentsOf: $0, encoding: .utf8).components(separatedBy: "\n")) }
  }

  @Test("tests wait with `eventually` or `waitUntil` for a condition, and never sleep for a fixed time")
  func named() throws {
    let sources = try Self.sources()
    #expect(sources.count > 300)
    for (name, lines) in sources {
      for line in lines where Self.pauses.contains(where: { line.contains($0) }) {
        Issue.record("\(name): \(line)")
      }
    }
  }

  @Test("every call of `letTimePass` has a comment in the line above that says why time has to pass")
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
