import Foundation
import Testing

/// `#Predicate` writes calls of functions that begin with `build_`. Those of the library must not be overloads of Foundation's,
/// which the type checker would try at every step.
@Suite("Functions that expansions of #Predicate call")
struct BuilderOverloadTests {
  @Test("do not duplicate functions of Foundation")
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

  /// The names of all such functions in the sources, but for the one that no macro writes on these systems: that of
  /// another predicate's `evaluate` is called by name only.
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
