import Foundation
import Testing

/// `make soak` runs the suites that `Scripts/soak` lists. The list must contain every suite with random tests or with
/// tests that run longer in a soak run.
@Suite("The list of suites in Scripts/soak")
struct SoakListTests {
  /// Expressions that occur in the sources of tests that a soak run lengthens, or that use its seed.
  private static let signs = [
    "RandomTesting.seed", "RandomTesting.soak", "RandomTesting.run(", "[\"OSD_SOAK\"]", "SeededGenerator.chosenSeed",
  ]

  private static let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL

  @Test("the list contains every suite that is random or runs longer in a soak run")
  func complete() throws {
    let filters = try Self.filters()
    let suites = try Self.suites()
    #expect(filters.count > 10 && suites.count > 10)
    for suite in suites {
      let isListed = filters.contains { suite.firstMatch(of: $0) != nil }
      #expect(isListed, "\(suite) is not in Scripts/soak")
    }
  }

  /// Calls that return random numbers. Without a generator as an argument, they use the system's random numbers.
  private static let draws = ["SystemRandomNumberGenerator(", ".random(", ".shuffled(", ".randomElement("]

  @Test("`OSD_SEED` can repeat every random test, because all its random numbers come from a generator with a seed")
  func repeatable() throws {
    for (file, source) in try Self.sources() where !file.path.contains("/SeededNumbers/") {
      guard Self.draws.contains(where: { source.contains($0) }) else { continue }
      for line in source.split(separator: "\n") where Self.draws.contains(where: { line.contains($0) }) {
        let hasGenerator = line.contains("using: &") || line.contains(".random(&")
        #expect(hasGenerator, "\(file.lastPathComponent): \(line)")
      }
    }
  }

  /// The filters in the script, which are regular expressions for `swift test --filter`.
  private static func filters() throws -> [Regex<AnyRegexOutput>] {
    let script = try String(contentsOf: root.appending(path: "Scripts/soak"), encoding: .utf8)
    let start = try #require(script.range(of: "suites=("))
    let end = try #require(script.range(of: "\n)", range: start.upperBound..<script.endIndex))
    let lines = script[start.upperBound..<end.lowerBound].split(separator: "\n")
    return try lines.map { line in
      try Regex(String(line.trimmingCharacters(in: CharacterSet(charactersIn: " \"")).prefix { $0 != " " }))
    }
  }

  /// The suites whose sources contain one of the signs, as `Module.Suite`.
  private static func suites() throws -> [String] {
    var suites: [String] = []
    for (file, source) in try sources() {
      guard source.contains("@Suite"), signs.contains(where: { source.contains($0) }) else { continue }
      let module = file.path.dropFirst(tests.path.count).split(separator: "/").first ?? ""
      suites += source.matches(of: /struct (\w+Tests)/).map { "\(module).\($0.1)/" }
    }
    return suites
  }

  /// The sources of all test files except this one.
  private static func sources() throws -> [(file: URL, source: String)] {
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.allObjects ?? []
    return try files.compactMap { $0 as? URL }.filter {
      $0.pathExtension == "swift" && $0.lastPathComponent != ownName
    }.map { ($0.standardizedFileURL, try String(contentsOf: $0, encoding: .utf8)) }
  }

  private static var tests: URL { root.appending(path: "Tests") }

  private static let ownName = URL(filePath: #filePath).lastPathComponent
}
