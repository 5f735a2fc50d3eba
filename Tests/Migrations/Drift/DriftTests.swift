import ConformanceSupport
import Foundation
import OpenSwiftData
import Testing

/// Plans of one or two versions. They have no stages, because these tests migrate no store.
private protocol UnstagedPlan: SchemaMigrationPlan {}
extension UnstagedPlan {
  static var stages: [MigrationStage] { [] }
}

private enum ReleasedPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [Recorded.Workshop1.self] }
}

private enum DriftingPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [Drifting.Workshop1.self] }
}

private enum HarderPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [Drifting.Harder.self] }
}

private enum InheritedPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [RecordedFleet.Fleet1.self] }
}

private enum DriftingInheritedPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [Drifting.Fleet1.self] }
}

private enum YardPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [RecordedYard.Yard1.self] }
}

private enum DriftingYardPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [Drifting.Yard1.self] }
}

private enum PierPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [RecordedPier.Pier1.self] }
}

private enum DriftingPierPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [Drifting.Pier1.self] }
}

private enum EmptyPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [] }
}

private enum LongerPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [Recorded.Workshop1.self, Drifting.Later.self] }
}

private enum DriftingLongerPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [Drifting.Workshop1.self, Drifting.Later.self] }
}

private enum EqualNumbersPlan: UnstagedPlan {
  static var schemas: [any VersionedSchema.Type] { [Recorded.Workshop1.self, Drifting.Harder.self] }
}

@Suite("Models that change without a new schema version")
struct DriftTests {
  /// A folder in which the check has recorded the released versions of a plan.
  private final class Records {
    let folder: URL

    init(_ plan: any SchemaMigrationPlan.Type) throws {
      folder = try TestStore.makeFolder().appending(path: "versions")
      #expect(throws: SwiftDataError.invalidMigrationPlan) { try plan.checkForDrift(in: self.folder) }
    }

    deinit { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() } }

    func refusal(of plan: any SchemaMigrationPlan.Type) throws -> String {
      let error = #expect(throws: SwiftDataError.self) { try plan.checkForDrift(in: self.folder) }
      #expect(error == .invalidMigrationPlan)
      return try #require(error).description
    }
  }

  @Test("the first check of a version records it and throws; later checks accept the version")
  func recording() throws {
    let records = try Records(ReleasedPlan.self)
    #expect(try records.names == ["1.0.0.json"])
    try ReleasedPlan.checkForDrift(in: records.folder)
    let text = try records.refusal(of: LongerPlan.self)
    #expect(text.contains("2.0.0.json had no file") && text.contains("commit it"))
    #expect(try records.names == ["1.0.0.json", "2.0.0.json"])
    try LongerPlan.checkForDrift(in: records.folder)
  }

  @Test("the check of a changed version throws an error with the differences and the code of the recorded version")
  func drift() throws {
    let records = try Records(ReleasedPlan.self)
    let text = try records.refusal(of: DriftingPlan.self)
    #expect(text.contains("Workshop1 (1.0.0) of DriftingPlan is not what"))
    #expect(text.contains("price") && text.contains("motto"))
    #expect(
      text.contains(
        """
        enum Workshop2: VersionedSchema {
          static let versionIdentifier = Schema.Version(2, 0, 0)
          static var models: [any PersistentModel.Type] { [Smith.self, Tool.self] }
        """))
    // The failed check writes no file, so the record still describes the released version.
    try ReleasedPlan.checkForDrift(in: records.folder)
    #expect(try records.names == ["1.0.0.json"])
  }

  @Test("the code in the error compiles, and its models equal the recorded version")
  func generatedCode() throws {
    let records = try Records(ReleasedPlan.self)
    let text = try records.refusal(of: DriftingPlan.self)
    try expectGenerated("Workshop1", in: text)
    #expect(try Workshop1.contentHash() == Recorded.Workshop1.contentHash())
  }

  /// Compares the code in an error with the same code in GeneratedVersions.swift, which the compiler has accepted.
  private func expectGenerated(_ name: String, in text: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "GeneratedVersions.swift")
    let compiled = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(compiled.range(of: "enum \(name)"))
    let end = try #require(compiled.range(of: "\n}\n", range: start.lowerBound..<compiled.endIndex))
    #expect(text.contains(compiled[start.lowerBound..<end.upperBound]), "\(text)")
  }

  @Test("the error marks a change that needs code, and suggests a custom stage for it")
  func obstacles() throws {
    let records = try Records(ReleasedPlan.self)
    let text = try records.refusal(of: HarderPlan.self)
    #expect(text.contains("  ! ") && text.contains("stamp"))
    #expect(text.contains(".custom(fromVersion: Harder.self, toVersion: HarderNext.self, willMigrate: nil"))
    #expect(try records.refusal(of: DriftingPlan.self).contains(".lightweight(fromVersion: Workshop1.self"))
  }

  @Test("the code in the error declares classes with subclasses")
  func inheritance() throws {
    let records = try Records(InheritedPlan.self)
    try expectGenerated("Fleet1", in: try records.refusal(of: DriftingInheritedPlan.self))
    #expect(try Fleet1.contentHash() == RecordedFleet.Fleet1.contentHash())
  }

  @Test("the code in the error declares structs, transformers, keywords as names, and empty initialisers")
  func structsAndNames() throws {
    let records = try Records(YardPlan.self)
    try expectGenerated("Yard1", in: try records.refusal(of: DriftingYardPlan.self))
    #expect(try Yard1.contentHash() == RecordedYard.Yard1.contentHash())
    #expect(try Yard1.contentHash() != Drifting.Yard1.contentHash())
  }

  @Test("the error lists the fields of structs that it cannot declare, and keeps the name of a value transformer")
  func omittedStructs() throws {
    // "HarbourPaint" could be the name of a class or a registered name. The test registers a transformer by this name,
    // as a program has to before it opens a store with such an attribute.
    ValueTransformer.setValueTransformer(PaintTransformer(), forName: NSValueTransformerName("HarbourPaint"))
    let records = try Records(PierPlan.self)
    let text = try records.refusal(of: DriftingPierPlan.self)
    #expect(text.contains("  // - Post (depth: Double)\n  // - Post (height: Int)\n"))
    #expect(!text.contains("struct Post"))
    #expect(text.contains("@Attribute(.transformable(by: \"HarbourPaint\")) var paint: Paint"))
  }

  @Test("if an older version was changed, the error only asks to restore it")
  func olderVersion() throws {
    let records = try Records(LongerPlan.self)
    let text = try records.refusal(of: DriftingLongerPlan.self)
    #expect(text.contains("enum Workshop1: VersionedSchema {") && !text.contains("Workshop2"))
    // The error suggests making the changes in the newer version, unless a store already has that version.
    #expect(text.contains("put it back as below, and make the changes in Later (2.0.0) if no store has that yet"))
    #expect(!text.contains("give the changes one of their own"))
    let last = try Records(ReleasedPlan.self).refusal(of: DriftingPlan.self)
    #expect(last.contains("give the changes one of their own") && !last.contains("put it back"))
  }

  @Test("the check throws if two versions have the same number, and writes no file")
  func equalNumbers() throws {
    let records = try Records(ReleasedPlan.self)
    #expect(
      try records.refusal(of: EqualNumbersPlan.self).contains("Workshop1 and Harder of EqualNumbersPlan are both"))
    try ReleasedPlan.checkForDrift(in: records.folder)
  }

  @Test("the check throws if a recorded version is missing in the plan")
  func goneVersion() throws {
    let records = try Records(LongerPlan.self)
    #expect(try records.refusal(of: ReleasedPlan.self).contains("has 2.0.0.json, and ReleasedPlan.schemas has no such"))
    try LongerPlan.checkForDrift(in: records.folder)
  }

  @Test("the check throws if a recorded file is not a schema, or if the folder cannot be created")
  func unreadable() throws {
    let records = try Records(ReleasedPlan.self)
    let file = records.folder.appending(path: "1.0.0.json")
    try Data("[]".utf8).write(to: file)
    #expect(throws: SwiftDataError.corruptValue) { try ReleasedPlan.checkForDrift(in: records.folder) }
    #expect(throws: SwiftDataError.storeUnreachable) {
      try ReleasedPlan.checkForDrift(in: file.appending(path: "below a file"))
    }
  }

  @Test("the check throws if the folder cannot be listed, even if the plan has no version to compare")
  func unlistable() throws {
    let records = try Records(ReleasedPlan.self)
    let file = records.folder.appending(path: "1.0.0.json")
    let error = #expect(throws: SwiftDataError.storeUnreachable) { try EmptyPlan.checkForDrift(in: file) }
    #expect(error?.description.contains("cannot be listed") == true)
    // A missing folder is no error, because the check creates it when it records the first version.
    try EmptyPlan.checkForDrift(in: records.folder.appending(path: "none"))
  }
}
