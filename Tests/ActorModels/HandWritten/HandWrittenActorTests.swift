import SwiftData
import Testing

// The tests run one after another, because they share the global executor of new letters (`Desk`).
@Suite("Actors that conform to both PersistentModel and ModelActor", .serialized)
struct HandWrittenActorTests {
  private func office(_ store: TestStore) -> PostOffice {
    let executor = DefaultSerialModelExecutor(modelContext: store.context())
    Desk.use(executor)
    return PostOffice(executor)
  }

  @Test("an actor with hand-written backing data runs on the executor of its context", arguments: Engine.allCases)
  func byHand(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Letter.self])
    let office = office(store)
    let letter = Letter(text: "first", scan: Data(repeating: 7, count: 200_000))
    try await office.insert(letter)
    #expect(await office.textAtOnce(of: letter) == "first")
    #expect(await letter.isIn(office.context))
    await letter.rewrite("second")
    try await office.save()

    let other = self.office(store)
    let found = try #require(try await other.fetch(FetchDescriptor<Letter>()).first)
    #expect(await found.text == "second")
    #expect(await found.sent == .distantPast)
    #expect(await found.scan?.count == 200_000)
    #expect(await other.textAtOnce(of: found) == "second")
    #expect(await found.isIn(other.context))
  }

  @Test("an actor with hand-written conformance is queried through nonisolated key paths", arguments: Engine.allCases)
  func queries(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Letter.self])
    let office = office(store)
    for index in 0..<4 {
      let sent = Date(timeIntervalSinceReferenceDate: Double(index))
      try await office.insert(Letter(text: index % 2 == 0 ? "even" : "odd", sent: sent))
    }
    let descriptor = FetchDescriptor(predicate: Letter.withText("odd"), sortBy: [Letter.newestFirst])
    var sent: [Double] = []
    for letter in try await self.office(store).fetch(descriptor) {
      sent.append(await letter.sent.timeIntervalSinceReferenceDate)
    }
    #expect(sent == [3, 1])
  }

  @Test("actors with hand-written conformance and the same unique value share one row", arguments: Engine.allCases)
  func unique(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Letter.self])
    let number = UUID()
    for text in ["old", "new"] { try await office(store).insert(Letter(number: number, text: text)) }
    let letters = try await office(store).fetch(FetchDescriptor<Letter>())
    #expect(letters.count == 1)
    #expect(await letters.first?.text == "new")
  }

  @Test("a hand-written conformance may store large values in files, which are deleted with their rows")
  func external() async throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let container = try ModelContainer(
      for: Letter.self, configurations: ModelConfiguration(url: folder.appending(path: "letters.store")))
    func office() -> PostOffice {
      let executor = DefaultSerialModelExecutor(modelContext: ModelContext(container))
      Desk.use(executor)
      return PostOffice(executor)
    }
    func files() throws -> Int {
      let external = folder.appending(path: "letters.store_external").path
      return FileManager.default.fileExists(atPath: external)
        ? try FileManager.default.contentsOfDirectory(atPath: external).count : 0
    }
    let (large, small) = (Data(repeating: 7, count: 200_000), Data([1, 2]))
    try await office().insert(Letter(text: "large", scan: large))
    try await office().insert(Letter(text: "small", scan: small))
    #expect(try files() == 1)
    let reader = office()
    let found = try await reader.fetch(FetchDescriptor<Letter>())
    #expect(await found[0].scan == large)
    #expect(await found[1].scan == small)
    await found[0].rescan(nil)
    await found[1].rescan(large)
    try await reader.save()
    #expect(try files() == 1)
    try await reader.delete(found[1])
    #expect(try files() == 0)
  }

  @Test("an actor with the main context runs on the main actor")
  @MainActor func main() async throws {
    let store = try TestStore(.memory, [Letter.self, Telegram.self])
    let context = store.container.mainContext
    Desk.use(DefaultSerialModelExecutor(modelContext: context))
    let (letter, telegram) = (Letter(text: "letter"), Telegram(1, "telegram"))
    context.insert(letter)
    context.insert(telegram)
    try context.save()
    #expect(textsAtOnce(letter, telegram) == ["letter", "telegram"])
    await telegram.rewrite("more")
    #expect(context.hasChanges)
  }

  @MainActor private func textsAtOnce(_ letter: Letter, _ telegram: Telegram) -> [String] {
    [letter.assumeIsolated { $0.text }, telegram.assumeIsolated { $0.text }]
  }

  @Test("an actor with @Model behaves like an actor with a hand-written conformance", arguments: Engine.allCases)
  func macro(_ engine: Engine) async throws {
    let store = try TestStore(engine, [Telegram.self])
    let office = office(store)
    let telegram = Telegram(1, "first")
    try await office.insert(telegram)
    try await office.insert(Telegram(2, "other"))
    #expect(await telegram.isIn(office.context))
    await telegram.rewrite("second")
    try await office.save()
    let other = self.office(store)
    let descriptor = FetchDescriptor<Telegram>(
      predicate: #Predicate { $0._text != "other" }, sortBy: [SortDescriptor(\._number)])
    let found = try await other.fetch(descriptor)
    #expect(found.map(\.number) == [1])
    #expect(await found.first?.text == "second")
  }
}
