import SwiftData

/// A context of letters. Observers of its saves may use the context, because a save calls them synchronously.
struct LetterScene: @unchecked Sendable {
  let store: TestStore
  let context: ModelContext
  let runs = Log<String>()

  init(_ engine: Engine) throws {
    store = try TestStore(engine, letterModels + [Trap.self])
    context = store.context()
  }

  /// The texts of the letters in the store.
  func stored() throws -> [String] {
    try store.context().fetch(FetchDescriptor<Letter>()).map(\.text).sorted()
  }

  /// Inserts a letter into the context and saves it.
  func savedLetter() throws -> Letter {
    let letter = Letter("a")
    context.insert(letter)
    try context.save()
    return letter
  }

  /// Inserts a letter with the text at the first call only.
  func addOnce(_ text: String) -> Bool {
    guard !runs.entries.contains(text) else { return false }
    runs.add(text)
    context.insert(Letter(text))
    return true
  }
}
