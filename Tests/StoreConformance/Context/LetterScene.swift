import SwiftData

/// A context of letters. Unchecked, because observers of a save run synchronously within the save and may use the
/// context.
struct LetterScene: @unchecked Sendable {
  let store: TestStore
  let context: ModelContext
  let runs = Log<String>()

  init(_ engine: Engine) throws {
    store = try TestStore(engine, letterModels + [Trap.self])
    context = store.context()
  }

  /// Reads the texts of all stored letters in a new context.
  func stored() throws -> [String] {
    try store.context().fetch(FetchDescriptor<Letter>()).map(\.text).sorted()
  }

  /// Inserts a letter and saves it.
  func savedLetter() throws -> Letter {
    let letter = Letter("a")
    context.insert(letter)
    try context.save()
    return letter
  }

  /// At the first call with this text, inserts a letter with the text and returns true. At later calls returns false.
  func addOnce(_ text: String) -> Bool {
    guard !runs.entries.contains(text) else { return false }
    runs.add(text)
    context.insert(Letter(text))
    return true
  }
}
