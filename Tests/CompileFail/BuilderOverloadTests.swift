import Foundation
import Testing

/// The expansion of `#Predicate` calls functions whose names begin with `build_`. The library's functions must not be
/// overloads of Foundation's, because the type checker would try all of them at every step.
@Suite("Functions that expansions of #Predicate call")
struct BuilderOverloadTests {
  @Test("the library's functions are not overloads of Foundation's functions")
  func overloads() throws {
    let names = try Self.builders()
    #expect(names.count >= 3, "\(names)")
    let file = FileManager.default.temporaryDirectory.appending(path: "Builders-\(UUID()).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    let uses = names.map { "  _ = PredicateExpressions.\($0)" }.joined(separator: "\n")
    try "import Foundation\nfunc use() {\n\(uses)\n}".write(to: file, atomically: true, encoding: .utf8)
    let messages = try Compiler.current().messages(about: [file])
    for name in names {
      #expect(messages.contains { $0.contains("type 'PredicateExpressions' has no member '\(name)'") }, "\(name)")
    }
  }

  /// The names of all functions with this prefix in the library's sources, except `build_evaluate`. No macro on these
  /// systems calls `build_evaluate`; only code that evaluates a predicate within a predicate does.
  private static func builders() throws -> [String] {
    let sources = URL(filePath: #filePath).appending(path: "../../../Sources").standardizedFileURL
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)?.allObjects ?? []
    var names: Set<String> = []
    for case let file as URL in files where file.pathExtension == "swift" {
      for match in try String(contentsOf: file, encoding: .utf8).matches(of: /func (build_\w+)/) {
        names.insert(String(match.1))
      }
    }
    return names.subtracting(["build_evaluate"]).sorted()
  }
}
