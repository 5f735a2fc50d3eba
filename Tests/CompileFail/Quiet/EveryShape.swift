import OpenSwiftData

// Models of every kind. The compiler must give no warning for them, whatever its settings. This file contains nothing
// that causes a warning itself, so a warning could only come from code that the macros generate.

enum Kind: String, Codable, Sendable {
  case small
  case large
}

enum Payment: Codable, Sendable, Hashable {
  case cash
  case card(String)
}

struct Place: Codable, Sendable, Hashable {
  var street = ""
  var number: Int?
  var kind: Kind = Kind.small
}

struct Label: RawRepresentable, Codable, Sendable, Hashable {
  var rawValue: String
}

final class BytesTransformer: ValueTransformer {
  override class func transformedValueClass() -> AnyClass { NSData.self }
  override class func allowsReverseTransformation() -> Bool { true }
  override func transformedValue(_ value: Any?) -> Any? { value as? Data }
  override func reverseTransformedValue(_ value: Any?) -> Any? { value as? Data }
}

// MARK: Properties of each kind

@Model final class Everything {
  #Unique<Everything>([\.code], [\.name, \.count])
  #Index<Everything>([\.name], [\.date, \.count])

  @Attribute(.unique) var code: UUID
  @Attribute(.spotlight, originalName: "title") var name: String
  var count = 0
  var ratio: Double
  var price: Decimal = 0
  var isOpen = false
  var date: Date
  var due: Date?
  var link: URL?
  var bytes: Data = Data()
  var kind: Kind = Kind.small
  var lastKind: Kind?
  var payment: Payment?
  var place: Place
  var formerPlace: Place?
  var places: [Place] = []
  var label: Label?
  var tags: [String] = []
  var marks: Set<Int> = []
  var counts: [String: Int] = [:]
  let made: Date
  let origin: Place
  let kinds: [Kind]
  @Attribute(.externalStorage) var scan: Data?
  @Attribute(.encrypt) var secret: String?
  @Attribute(.transformable(by: BytesTransformer.self)) var packed: Data?
  @Attribute(.ephemeral) var seen: Int = 0
  @Transient var draft = ""
  var `class`: String = ""
  private var hidden = 1
  fileprivate var half: Int?
  private(set) var read = false
  var watched = 0 {
    willSet { draft = "\(newValue)" }
    didSet { if watched != oldValue { draft += "!" } }
  }
  @Relationship(deleteRule: .cascade, inverse: \Part.whole) var parts: [Part] = []
  @Relationship var single: Part?
  var others: [Part]? = []
  var main: Part

  init(code: UUID, name: String, date: Date, main: Part) {
    self.code = code
    self.name = name
    self.date = date
    self.main = main
    ratio = 0
    place = Place()
    made = date
    origin = Place()
    kinds = [.small]
  }

  var total: Int { count + hidden + (half ?? 0) }

  func grow() {
    parts.append(Part())
    tags.append("x")
    place.number = 3
  }
}

@Model final class Part {
  var whole: Everything?

  init() {}
}

@Model final class Empty {
  init() {}
}

// MARK: Classes of each kind

@Model class Animal {
  var name: String
  var owner: Person?
  let born: Date

  init(name: String, born: Date) {
    self.name = name
    self.born = born
  }
}

@Model class Dog: Animal {
  var tricks: [String] = []
  var kennel: Place?
  let chip: UUID

  init(name: String, born: Date, chip: UUID) {
    self.chip = chip
    super.init(name: name, born: born)
  }
}

@Model final class Puppy: Dog {
  var mother: Dog?

  override init(name: String, born: Date, chip: UUID) { super.init(name: name, born: born, chip: chip) }
}

@Model @ModelValue(leavingOut: "animals") final class Person {
  var name: String
  var birthday: Date?
  var tags: [String] = []
  var best: Animal?
  @Relationship(inverse: \Animal.owner) var animals: [Animal] = []

  init(name: String) { self.name = name }
}

@Model @ModelValue nonisolated final class Record: Identifiable {
  var id: UUID
  var kind: Int
  var former: [Record]?

  init(id: UUID, kind: Int) {
    self.id = id
    self.kind = kind
  }
}

/// A model whose properties have the same names as parameters in generated code.
@Model @ModelValue final class Car {
  var model: String
  var row: Int
  var position: Int?
  var identifiers: [Car] = []

  init(model: String, row: Int) {
    self.model = model
    self.row = row
  }
}

/// A model inside a type that declares other types with the names that generated code uses, such as `Int` and `Bool`.
enum OwnTypes {
  struct Int {}
  struct Bool {}
  struct Never {}
  struct KeyPath {}
  struct UnsafeMutablePointer {}
  struct UnownedSerialExecutor {}

  @Model class Base {
    var name: String = ""
    var count = 0
    var other: Base?

    init() {}
  }

  @Model @ModelValue final class Plain {
    var name: String = ""
    var count = 0
    var other: Base?

    init() {}
  }

  @Model final class Sub: Base {
    var width: Double

    init(width: Double) {
      self.width = width
      super.init()
    }
  }

  @Model actor Keeper {
    var name: String = ""
  }
}

@Model final class Box<Content: Codable> {
  var content: Content
  var contents: [Content] = []
  var count = 0

  init(content: Content) { self.content = content }
}

enum Namespace {
  @Model final class Nested {
    var name = ""
    var everything: Everything?

    init() {}
  }
}

@available(macOS 15, *)
@Model final class Late {
  var name: String

  init(name: String) { self.name = name }
}

// MARK: Models and actors

@Model actor Journal {
  var title: String = ""
  var place: String?
  var entries: [Int] = []
  let made: Date
  var people: [Scribe] = []

  func write(_ text: String) { title += text }
}

@Model actor Scribe {
  var name: String = ""
  var journal: Journal?
}

/// A model with a private nested type, which its property `moods` uses.
@Model actor Diary {
  private enum Mood: String, Codable, Sendable {
    case calm
  }

  var title: String
  private var mood: Mood = Mood.calm
  private var moods: [Mood] = []

  func calm() { mood = .calm }
}

@Model actor Draft {
  var model: String = ""
  var isDeleted: Bool = false
  var hasChanges: Bool = true
}

@globalActor actor ShelfActor {
  static let shared = ShelfActor()
}

@Model @ShelfActor final class Shelf {
  var name: String
  var width: Double = 1
  var books: [Book] = []

  init(name: String) { self.name = name }
}

@Model @ShelfActor final class Book {
  var title: String
  var shelf: Shelf?

  init(title: String) { self.title = title }
}

@Model(isolatedTo: MainActor.self) @MainActor final class Window {
  var title: String
  var place: Place?

  init(title: String) { self.title = title }
}

@ModelActor actor Store {
  func names() throws -> [String] {
    try modelContext.fetch(FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)])).map(\.name)
  }
}

// MARK: Schemas

enum FirstVersion: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Item.self] }

  @Model final class Item {
    var name: String

    init(name: String) { self.name = name }
  }
}

enum SecondVersion: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var models: [any PersistentModel.Type] { [Item.self] }

  @Model(originalName: "Item") final class Item {
    @Attribute(originalName: "name") var title: String

    init(title: String) { self.title = title }
  }
}

enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [FirstVersion.self, SecondVersion.self] }
  static var stages: [MigrationStage] {
    [
      .custom(
        fromVersion: FirstVersion.self, toVersion: SecondVersion.self, willMigrate: nil,
        didMigrate: { context in try context.save() })
    ]
  }
}

// MARK: Accessors of a model's own

@Model final class Bookmark {
  private(set) var id: String
  var place: Part?

  var number: Int {
    @storageRestrictions(accesses: _$backingData, initializes: _id, _place)
    init(initialValue) {
      _$backingData.setValue(forKey: \.id, to: String(initialValue))
      _id = _SwiftDataNoType()
      _place = .init()
    }
    get {
      _$observationRegistrar.access(self, keyPath: \.number)
      return Int(id) ?? 0
    }
    set { _$observationRegistrar.withMutation(of: self, keyPath: \.number) { id = String(newValue) } }
  }

  init(number: Int) { self.number = number }
}

// MARK: Use

func use(_ container: ModelContainer) throws -> Int {
  let context = ModelContext(container)
  let part = Part()
  context.insert(Everything(code: UUID(), name: "a", date: Date(), main: part))
  try context.save()
  let descriptor = FetchDescriptor<Everything>(
    predicate: #Predicate { $0.name == "a" && $0.count > 0 }, sortBy: [SortDescriptor(\.date, order: .reverse)])
  let found = try context.fetch(descriptor)
  for everything in found { everything.grow() }
  return found.count
}
