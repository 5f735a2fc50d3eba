import OpenSwiftData
import Synchronization

let growthModels: [any PersistentModel.Type] = [
  Item.self, Shelf.self, Book.self, Tag.self, Serial.self, Note.self, Photo.self, Blot.self, Manual.self,
  Anchor.self, Rope.self, Crate.self, OpenCrate.self,
]

/// Counts the model objects that exist. Each model has a transient property of this type, which is created and released
/// together with the object.
final class Life {
  /// The number of living objects.
  static let count = Atomic<Int>(0)

  init() { Self.count.add(1, ordering: .relaxed) }

  deinit { Self.count.subtract(1, ordering: .relaxed) }
}

@Model
@ModelValue
final class Item {
  #Index<Item>([\.number])
  var name: String
  var number: Int
  var size: Double
  @Transient var life = Life()

  init(_ number: Int) {
    self.name = "item \(number)"
    self.number = number
    self.size = 1.5
  }
}

@Model
final class Shelf {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.shelf) var books: [Book] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Book {
  var title: String
  var shelf: Shelf?
  @Relationship(inverse: \Tag.books) var tags: [Tag] = []

  init(_ title: String) {
    self.title = title
  }
}

@Model
final class Tag {
  var name: String
  var books: [Book] = []

  init(_ name: String) {
    self.name = name
  }
}

/// A model with a unique attribute.
@Model
final class Serial {
  @Attribute(.unique) var code: Int
  var count: Int

  init(_ code: Int, count: Int = 0) {
    self.code = code
    self.count = count
  }
}

/// A model with a relationship that has no inverse.
@Model
final class Note {
  var text: String
  var item: Item?

  init(_ text: String, item: Item? = nil) {
    self.text = text
    self.item = item
  }
}

/// A class and its subclass, with a relationship that has no inverse.
@Model
class Crate {
  var name: String
  var item: Item?

  init(_ name: String, item: Item? = nil) {
    self.name = name
    self.item = item
  }
}

@Model
final class OpenCrate: Crate {
  var depth: Int

  init(_ name: String, item: Item?, depth: Int) {
    self.depth = depth
    super.init(name, item: item)
  }
}

/// A model whose values are stored in external files.
@Model
final class Photo {
  @Attribute(.externalStorage) var image: Data?

  init(_ image: Data?) {
    self.image = image
  }
}

/// A value whose encoding throws if it is `wet`.
enum Ink: Codable {
  case dry
  case wet

  init(from decoder: any Decoder) throws { self = .dry }

  func encode(to encoder: any Encoder) throws {
    guard case .dry = self else { throw Failure() }
    var container = encoder.singleValueContainer()
    try container.encode("dry")
  }
}

/// A model whose delete rule is `noAction`, so that it may be deleted while ropes still require it.
@Model
final class Anchor {
  var name: String
  @Relationship(deleteRule: .noAction, inverse: \Rope.anchor) var ropes: [Rope] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Rope {
  var name: String
  var anchor: Anchor

  init(_ name: String, anchor: Anchor) {
    self.name = name
    self.anchor = anchor
  }
}

/// A model that makes a save throw while it writes rows, because `ink` cannot be encoded if it is `wet`.
@Model
final class Blot {
  var ink: Ink

  init(_ ink: Ink) {
    self.ink = ink
  }
}

/// A model that conforms to `PersistentModel` without the macro.
final class Manual: PersistentModel {
  var persistentBackingData: any BackingData<Manual>

  init(backingData: any BackingData<Manual>) {
    persistentBackingData = backingData
  }

  init(_ name: String) {
    persistentBackingData = Manual.createBackingData()
    self.name = name
  }

  var name: String {
    get { getValue(forKey: \.name) }
    set { setValue(forKey: \.name, to: newValue) }
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [Schema.PropertyMetadata(name: "name", keypath: \Manual.name, defaultValue: nil, metadata: nil)]
  }
}

/// The models of a store before its migration. ``After`` contains the models after the migration.
enum Before {
  @Model
  final class Wagon {
    var name: String

    init(_ name: String) {
      self.name = name
    }
  }
}

enum After {
  @Model
  final class Wagon {
    var name: String
    var weight: Int = 7

    init(_ name: String) {
      self.name = name
    }
  }
}
