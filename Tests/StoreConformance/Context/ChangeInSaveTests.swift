import SwiftData
import Testing

@Suite("User code that runs during a save", .serialized)
struct ChangeInSaveTests {
  /// Changes the letter and saves. While the save encodes values, user code deletes the letter.
  private func saveWhileDeleting(_ letter: Letter, in scene: LetterScene) {
    nonisolated(unsafe) let unsafeLetter = letter
    Tripwire.watch {
      scene.context.delete(unsafeLetter)
    } during: {
      letter.text = "changed"
      scene.context.insert(Trap(1))
      #expect(throws: Never.self) { try scene.context.save() }
    }
  }

  @Test(
    "if code saves while a save encodes values, its save throws, and the code's changes stay pending",
    arguments: Engine.allCases)
  func encoding(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let letter = try scene.savedLetter()
    let errors = Log<String>()
    nonisolated(unsafe) let unsafeLetter = letter
    Tripwire.watch {
      guard errors.entries.isEmpty else { return }
      unsafeLetter.text = "changed"
      scene.context.insert(Letter("b"))
      do { try scene.context.save() } catch { errors.add("\(error)") }
      do { try scene.context.transaction {} } catch { errors.add("\(error)") }
      scene.context.rollback()
    } during: {
      scene.context.insert(Trap(1))
      #expect(throws: Never.self) { try scene.context.save() }
    }
    #expect(errors.entries.count == 2)
    #expect(errors.entries.allSatisfy { $0.contains("while it writes") })
    #expect(scene.context.hasChanges)
    #expect(scene.context.insertedModelsArray.count == 1 && scene.context.changedModelsArray.count == 1)
    try scene.context.save()
    #expect(try scene.stored() == ["b", "changed"])
    #expect(!scene.context.hasChanges)
  }

  @Test("code may delete models that are being saved while the save encodes values", arguments: Engine.allCases)
  func deletionWhileEncoding(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let letter = try scene.savedLetter()
    saveWhileDeleting(letter, in: scene)
    try scene.context.save()
    #expect(!scene.context.hasChanges)
    #expect(try scene.stored() == [])
  }

  @Test("changes that code makes while the save encodes values are checked for conflicts", arguments: Engine.allCases)
  func conflict(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let (letter, other) = (Letter("a"), Letter("b"))
    scene.context.insert(letter)
    scene.context.insert(other)
    try scene.context.save()
    nonisolated(unsafe) let unsafeLetter = letter
    Tripwire.watch {
      unsafeLetter.text = "ours"
    } during: {
      other.text = "changed"
      scene.context.insert(Trap(1))
      #expect(throws: Never.self) { try scene.context.save() }
    }
    #expect(letter.hasChanges && !other.hasChanges)
    let there = scene.store.context()
    let theirs = #Predicate<Letter> { $0.text == "a" }
    try #require(try there.fetch(FetchDescriptor<Letter>(predicate: theirs)).first).text = "theirs"
    try there.save()
    scene.context.conflictPolicy = .throwError
    #expect(throws: SwiftDataError.conflictingChanges) { try scene.context.save() }
    #expect(try scene.stored() == ["changed", "theirs"])
    scene.context.conflictPolicy = .mergeByProperty(keeping: .ours)
    try scene.context.save()
    let conflict = try #require(scene.context.resolvedConflicts.first)
    #expect([conflict.read, conflict.ours, conflict.theirs] == ["\"a\"", "\"ours\"", "\"theirs\""])
    #expect(try scene.stored() == ["changed", "ours"])
  }

  @Test(
    "deleting a model after its row is written causes no conflict with the same save", arguments: Engine.allCases)
  func savedAndDeleted(_ engine: Engine) throws {
    let scene = try LetterScene(engine)
    let letter = try scene.savedLetter()
    scene.context.conflictPolicy = .throwError
    saveWhileDeleting(letter, in: scene)
    let there = scene.store.context()
    there.insert(Letter("theirs"))
    try there.save()
    try scene.context.save()
    #expect(try scene.stored() == ["theirs"])
  }
}
