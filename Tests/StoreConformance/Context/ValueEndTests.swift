import SwiftData
import Testing

/// A value that runs a closure of the test when it is deallocated.
final class EndingTag: Codable {
  var run: (() -> Void)?

  init() {}

  init(from decoder: any Decoder) throws {
    _ = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(1)
  }

  deinit { run?() }
}

@Model
final class TaggedBox {
  var number: Int
  @Attribute(.codable) var tag: EndingTag
  @Attribute(.codable) var wire: Tripwire

  init(_ number: Int) {
    self.number = number
    tag = EndingTag()
    wire = Tripwire(number)
  }
}

/// A model that conforms to `PersistentModel` without the `@Model` macro.
final class TaggedKite: PersistentModel {
  var persistentBackingData: any BackingData<TaggedKite>

  init(backingData: any BackingData<TaggedKite>) {
    persistentBackingData = backingData
  }

  init(_ name: String) {
    persistentBackingData = TaggedKite.createBackingData()
    self.name = name
    tag = EndingTag()
  }

  var name: String {
    get { getValue(forKey: \.name) }
    set { setValue(forKey: \.name, to: newValue) }
  }

  var tag: EndingTag {
    get { getValue(forKey: \.tag) }
    set { setValue(forKey: \.tag, to: newValue) }
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(name: "name", keypath: \TaggedKite.name, defaultValue: nil, metadata: nil),
      Schema.PropertyMetadata(name: "tag", keypath: \TaggedKite.tag, defaultValue: nil, metadata: nil),
    ]
  }
}

@Suite("Values that run code in their deinitialisers", .serialized)
struct ValueEndTests {
  @Test(
    "the deinitialiser of a replaced value may change models while a save releases the value",
    arguments: Engine.allCases)
  func lateChange(_ engine: Engine) throws {
    let store = try TestStore(engine, [TaggedBox.self])
    let context = store.context()
    let boxes = (0..<3).map { TaggedBox($0) }
    boxes.forEach(context.insert)
    var runs = 0
    boxes[1].tag.run = {
      runs += 1
      boxes[0].number = 7
    }
    nonisolated(unsafe) let unsafeBoxes = boxes
    Tripwire.watch {
      // From here on, only the save retains the old value. The save releases the value when it writes the row.
      if unsafeBoxes[1].tag.run != nil { unsafeBoxes[1].tag = EndingTag() }
    } during: {
      #expect(throws: Never.self) { try context.save() }
    }
    #expect(runs == 1)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try store.context().fetch(FetchDescriptor<TaggedBox>()).map(\.number).sorted() == [1, 2, 7])
  }

  @Test("a deinitialiser may read the hand-written model that contained the value")
  func handWritten() {
    let kite = TaggedKite("first")
    var seen: [String] = []
    kite.tag.run = { seen.append(kite.name) }
    kite.tag = EndingTag()
    #expect(seen == ["first"])
  }
}
