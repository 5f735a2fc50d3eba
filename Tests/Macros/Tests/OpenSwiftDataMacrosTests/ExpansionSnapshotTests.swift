import Foundation
import Testing

/// Compares the expansions of the macros with recorded ones. Every read and write of a model runs generated code, so
/// each change of this code must be visible in a review.
///
/// A snapshot is a folder with a source and its expansion. Both are text files, so that no formatter changes them. Run
/// the tests with the environment variable `RECORD_EXPANSIONS=1` to record all expansions again, and review the
/// difference before the commit.
@Suite("Expansion snapshots")
struct ExpansionSnapshotTests {
  @Test("The expansion of a source equals the recorded expansion", arguments: try Snapshot.all())
  func expansion(_ snapshot: Snapshot) throws {
    let source = try snapshot.source
    guard ProcessInfo.processInfo.environment["RECORD_EXPANSIONS"] == nil else {
      try snapshot.record(expand(source))
      Issue.record("recorded \(snapshot.name); unset RECORD_EXPANSIONS to test it")
      return
    }
    expectExpansion(of: source, is: try snapshot.expanded)
  }

  @Test("The folders of the snapshots are exactly those in the list")
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

/// One folder in `Snapshots`: a source and its recorded expansion.
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
