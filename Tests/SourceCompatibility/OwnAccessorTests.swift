import ConformanceSupport
import SwiftData
import Testing

/// Programs may write by hand some parts of the code that Apple's macro generates.
@Suite("A model's own accessors")
struct OwnAccessorTests {
  private let models: [any PersistentModel.Type] = [MailFolder.self, MailMessage.self, MailDraft.self, Dial.self]
  private let inbox = FolderID(platform: .two, inner: "inbox")

  @Test("Values that an accessor sets in an initialiser can be read before the insertion")
  func reading() {
    let folder = MailFolder(folderID: inbox, name: "Inbox")
    #expect(folder.id == "two:inbox")
    #expect(folder.platform == "two" && folder.platformID == "inbox" && folder.folderID == inbox)
    folder.folderID = FolderID(platform: .one, inner: "sent")
    #expect(folder.id == "one:sent" && folder.name == "Inbox")
  }

  @Test("An initial value does not replace a value that is set later")
  func setting() {
    let dial = Dial(initialTurns: 3)
    dial.turns = 4
    #expect(dial.turns == 4)
    dial.turns += 1
    #expect(dial.turns == 5)
    // The initialiser's assignment does not call `didSet`; only the two later assignments do.
    #expect(Dial.noticed.suffix(2) == [4, 5] && !Dial.noticed.contains(3))
  }

  @Test("The values of a new object are saved even if they were not read before", arguments: Engine.allCases)
  func saving(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let context = store.context()
    context.insert(MailFolder(folderID: inbox, name: "Inbox"))
    context.insert(MailMessage(in: nil, subject: nil, parts: "a/b"))
    try context.save()
    let reader = store.context()
    let folder = try #require(
      try reader.fetch(FetchDescriptor<MailFolder>(predicate: #Predicate { $0.id == "two:inbox" })).first)
    #expect(folder.folderID == inbox && folder.name == "Inbox")
    let message = try #require(try reader.fetch(FetchDescriptor<MailMessage>()).first)
    #expect(message.parts == "a/b" && message.subject == nil && message.folder == nil)
    folder.folderID = FolderID(platform: .one, inner: "sent")
    message.parts = "c"
    try reader.save()
    let again = store.context()
    #expect(try again.fetch(FetchDescriptor<MailFolder>()).map(\.id) == ["one:sent"])
    #expect(try again.fetch(FetchDescriptor<MailMessage>()).map(\.parts) == ["c"])
  }

  @Test("A property of an optional type is nil at first, and accepts later values", arguments: Engine.allCases)
  func optionals(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let context = store.context()
    let drafts = [
      MailDraft(topic: "Tea", text: "a"), MailDraft(subject: "Coffee", text: "b"), MailDraft(topic: nil, text: "c"),
    ]
    #expect(drafts.map(\.subject) == ["Tea", "Coffee", nil])
    for draft in drafts { context.insert(draft) }
    try context.save()
    let reader = store.context()
    let descriptor = FetchDescriptor<MailDraft>(sortBy: [SortDescriptor(\.text)])
    let found = try reader.fetch(descriptor)
    #expect(found.map(\.topic) == ["Tea", "Coffee", nil])
    #expect(found.map(\.words) == drafts.map(\.words) && drafts[0].words == 3)
    var partial = descriptor
    partial.propertiesToFetch = [\.text]
    #expect(try store.context().fetch(partial).map(\.subject) == ["Tea", "Coffee", nil])
    let copy = MailDraft(backingData: drafts[1].persistentBackingData)
    #expect(copy.topic == "Coffee" && copy.text == "b" && copy.words == drafts[1].words)
  }

  @Test("A relationship set by an accessor has its inverse and its context", arguments: Engine.allCases)
  func relationships(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    let context = store.context()
    let folder = MailFolder(folderID: inbox, name: "Inbox")
    context.insert(folder)
    let message = MailMessage(in: folder, subject: "Hello", parts: "a")
    context.insert(message)
    #expect(folder.messages == [message])
    try context.save()
    let reader = store.context()
    #expect(try reader.fetch(FetchDescriptor<MailMessage>()).map(\.subject) == ["Hello"])
    let found = try #require(try reader.fetch(FetchDescriptor<MailFolder>()).first)
    #expect(found.messages.map(\.subject) == ["Hello"])
    #expect(found.messages.first?.folder === found)
  }

  @Test(
    "A unique value that an accessor sets makes the object replace the row with this value", arguments: Engine.allCases)
  func upserts(_ engine: Engine) throws {
    let store = try TestStore(engine, models)
    for name in ["Inbox", "Eingang"] {
      let context = store.context()
      context.insert(MailFolder(folderID: inbox, name: name))
      try context.save()
    }
    #expect(try store.context().fetch(FetchDescriptor<MailFolder>()).map(\.name) == ["Eingang"])
  }

  @Test("An object that is rolled back or never inserted is not saved")
  func rollback() throws {
    let store = try TestStore(.memory, models)
    let context = store.context()
    let folder = MailFolder(folderID: inbox, name: "Inbox")
    context.insert(folder)
    context.rollback()
    #expect(!context.hasChanges && folder.id == "two:inbox")
    do { _ = MailMessage(in: folder, subject: "Hello", parts: "a") }
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<MailMessage>()) == 0)
  }

  @Test("A call to the registrar notifies the observers of a property")
  func observation() {
    let dial = Dial(initialTurns: 1)
    func changes(_ change: () -> Void) -> Bool {
      let flag = Flag()
      withObservationTracking {
        _ = dial.angle
      } onChange: {
        flag.raise()
      }
      change()
      return flag.isRaised
    }
    #expect(changes { dial.angle = 90 })
    #expect(dial.angle == 90)
    #expect(changes { dial.reset() })
    #expect(!changes { dial.turns += 1 })
    #expect(dial.angle == 0)
  }

  @Test("Only models that refer to their backing data have storage for it")
  func memory() {
    let fields = Mirror(reflecting: MailFolder(folderID: inbox, name: "")).children.compactMap(\.label)
    #expect(fields.contains("_$backingData"))
    let stop = RelatedStop()
    #expect(!Mirror(reflecting: stop).children.contains { $0.label == "_$backingData" })
  }
}

@Model private final class RelatedStop {
  var name = ""
  init() {}
}
