import Foundation
import Testing

/// The exact expansions of the macros: generated code is the hot path of every model, so each change of it has to be
/// visible.
///
/// A snapshot is a folder with the source and its expansion, as text files that no formatter changes. Run the tests
/// with `RECORD_EXPANSIONS=1` in the environment to write the expansions again, and review the difference before the
/// commit.
@Suite("Expansion snapshots")
struct ExpansionSnapshotTests {
  @Test("The expansion equals the recorded one", arguments: try Snapshot.all())
  func expansion(_ snapshot: Snapshot) throws {
    let source = try snapshot.source
    guard ProcessInfo.processInfo.environment["RECORD_EXPANSIONS"] == nil else {
      try snapshot.record(expand(source))
      Issue.record("recorded \(snapshot.name); unset RECORD_EXPANSIONS to test it")
      return
    }
    expectExpansion(of: source, is: try snapshot.expanded)
  }

  @Test("Every snapshot that the list names exists")
  func completeness() throws {
    let names = try Snapshot.all().map(\.name)
    #expect(
      names == [
        "AccessorsOfCompletion", "AccessorsOfDefaults", "AccessorsOfIsolation",
        "AccessorsOfKeywordNames",
        "AccessorsOfObservers", "AccessorsOfOptionals", "AccessorsOfOutOfRowValues", "AccessorsOfSubclasses",
        "AccessorsOfTransformables", "AccessorsOfValues",
        "Actor", "ActorWithExecutor", "AvailableClass", "Completion",
        "CompletionOfSubclasses", "ConstantProperties", "Constraints", "Defaults",
        "FinalClass", "GlobalActorClass",
        "KeywordNames",
        "Observers", "OpenClass", "OptionalProperties", "OutOfRowValues", "OwnAccessors", "PackageClass",
        "ProtocolFirst",
        "PublicClass",
        "PublicExtension", "Relationships", "StatelessMembers", "Subclass", "Transformables",
        "ValueOfActor", "ValueOfModel",
      ])
  }
}

/// One folder of `Snapshots`.
struct Snapshot: CustomTestStringConvertible {
  let folder: URL

  var name: String { folder.lastPathComponent }
  var testDescription: String { name }

  var source: String {
    get throws { try String(contentsOf: folder.appending(path: "Source.txt"), encoding: .utf8) }
  }

  var expanded: String {
    get throws { try String(contentsOf: folder.appending(path: "Expanded.txt"), encoding: .utf8) }
  }

  func record(_ expansion: String) throws {
    try expansion.write(to: folder.appending(path: "Expanded.txt"), atomically: true, encoding: .utf8)
  }

  static func all() throws -> [Snapshot] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Snapshots")
    return try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)
      .map(Snapshot.init)
      .sorted { $0.name < $1.name }
  }
}
