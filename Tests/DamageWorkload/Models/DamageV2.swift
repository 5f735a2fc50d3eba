import OpenSwiftData

/// Version 2: the same models after the plan's custom stage.
package enum DamageV2: VersionedSchema {
  package static let versionIdentifier = Schema.Version(2, 0, 0)
  package static var models: [any PersistentModel.Type] { common + sealed + [Measure.self] }

  /// The models that version 3 also has.
  static var common: [any PersistentModel.Type] {
    [
      Sample.self, Author.self, Passport.self, Book.self, Tag.self, Folder.self, Vehicle.self, Car.self,
      SportsCar.self, Garage.self,
    ]
  }

  #if Encryption
    static let sealed: [any PersistentModel.Type] = [Secret.self]
  #else
    static let sealed: [any PersistentModel.Type] = []
  #endif

  @ModelValue @Model package final class Sample {
    #Unique<Sample>([\.code, \.int8], [\.title, \.int16])
    #Index<Sample>([\.int], [\.title, \.date], [\.place.city], [\.place.other?.label], [\.decimal])
    #Index<Sample>(.rtree([\.x, \.y]), .rtree([\.place.corner.x, \.place.corner.y]))

    package var code: String
    @Attribute(originalName: "name") package var title: String
    package var int: Double = 0
    package var int8: Int8 = 0
    package var int16: Int16 = 0
    package var int32: Int32 = 0
    package var int64: Int64 = 0
    package var uint: UInt = 0
    package var uint8: UInt8 = 0
    package var uint16: UInt16 = 0
    package var uint32: UInt32 = 0
    package var uint64: UInt64 = 0
    package var double: Double = 0
    package var float: Float = 0
    package var flag: Bool = false
    package var date: Date = Date(timeIntervalSinceReferenceDate: 0)
    package var uuid: UUID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    package var url: URL = URL(filePath: "/")
    @Attribute(.externalStorage) package var data: Data = Data()
    package var decimal: Decimal = 0
    package var mood: Mood = Mood.calm
    package var grade: Grade = Grade.low
    package var content: Content = Content.nothing
    package var x: Double = 0
    package var y: Double = 0
    package var place: Place
    package var list: [Int] = []
    package var names: [String] = []
    package var points: [Point] = []
    package var counts: [String: Int] = [:]
    package var shapes: [Int: Point] = [:]
    package var moods: Set<Mood> = []
    package var prices: [Decimal] = []
    @Attribute(.codable) package var whole: Place?
    @Attribute(.externalStorage) package var picture: Data?
    package var body: String = ""
    @Attribute(.transformable(by: RouteTransformer.self)) package var route: Route
    package var intOrNil: Int = 5
    package var uint64OrNil: UInt64?
    package var doubleOrNil: Double?
    package var floatOrNil: Float?
    package var flagOrNil: Bool?
    package var textOrNil: String?
    package var dateOrNil: Date?
    package var uuidOrNil: UUID?
    package var urlOrNil: URL?
    package var dataOrNil: Data?
    package var decimalOrNil: Decimal?
    package var moodOrNil: Mood?
    package var gradeOrNil: Grade?
    package var contentOrNil: Content?
    package var placeOrNil: Place?
    package var listOrNil: [Double]?

    package init(code: String, name: String, place: Place, route: Route) {
      (self.code, self.title, self.place, self.route) = (code, name, place, route)
    }
  }

  @Model package final class Author {
    @Attribute(.unique) package var name: String
    package var age: Int = 30
    @Relationship(deleteRule: .cascade, inverse: \Book.author) package var books: [Book] = []
    @Relationship(deleteRule: .cascade, inverse: \Passport.owner) package var passport: Passport?
    @Relationship(inverse: \Author.followers) package var following: [Author] = []
    package var followers: [Author] = []
    @Relationship(inverse: nil) package var favourite: Book?
    @Relationship(inverse: nil) package var racer: SportsCar?
    @Relationship(inverse: nil) package var fleet: [Car] = []
    @Relationship(originalName: "interests", inverse: \Tag.fans) package var topics: [Tag] = []
    package init(_ name: String) { self.name = name }
  }

  @Model package final class Passport {
    package var number: UInt32
    package var owner: Author?
    package init(_ number: UInt32) { self.number = number }
  }

  @Model package final class Book {
    #Index<Book>([\.title])
    package var title: String
    package var pages: Int
    package var author: Author?
    @Relationship(inverse: \Tag.books) package var tags: [Tag] = []
    package init(_ title: String, pages: Int) { (self.title, self.pages) = (title, pages) }
  }

  @Model package final class Tag {
    @Attribute(.unique) package var word: String
    package var added: Date = Date(timeIntervalSinceReferenceDate: 7)
    package var books: [Book] = []
    package var fans: [Author] = []
    package init(_ word: String) { self.word = word }
  }

  @Model package final class Folder {
    package var name: String
    package var parent: Folder?
    @Relationship(deleteRule: .cascade, inverse: \Folder.parent) package var children: [Folder] = []
    @Relationship(inverse: \Folder.previous) package var next: Folder?
    package var previous: Folder?
    package init(_ name: String) { self.name = name }
  }

  @Model package class Vehicle {
    package var name: String
    @Attribute(.unique) package var serial: String?
    package var garage: Garage?
    @Relationship(inverse: nil) package var spares: [Vehicle] = []
    package init(_ name: String) { self.name = name }
  }

  @Model package class Car: Vehicle {
    #Index<Car>([\.gates])
    @Attribute(originalName: "doors") package var gates: Int = 4
    package var seats: [String] = []
    package var owner: Author?
    package override init(_ name: String) { super.init(name) }
  }

  @Model package final class SportsCar: Car {
    package var speed: Double = 100
    package var place: Place?
    package let maker: String
    package override init(_ name: String) {
      maker = "maker"
      super.init(name)
    }
  }

  @Model package final class Garage {
    package var name: String
    @Relationship(deleteRule: .deny, inverse: \Vehicle.garage) package var vehicles: [Vehicle] = []
    package var keeper: Author
    package init(_ name: String, keeper: Author) { (self.name, self.keeper) = (name, keeper) }
  }

  #if Encryption
    @Model package final class Secret {
      @Attribute(.encrypt) package var text: String
      package var number: Int = 7
      @Attribute(.encrypt) package var place: Place?
      @Attribute(.encrypt, .externalStorage) package var picture: Data?
      package init(_ text: String) { self.text = text }
    }
  #endif

  @Model package final class Measure {
    #Index<Measure>([\.count])
    package var count: Int
    package var weight: Double
    package var note: String
    package var tags: [String] = []
    package var point: Point = Point(x: 1, y: 2, label: nil)
    package var amount: UInt32 = 0
    @Attribute(.externalStorage) package var chart: Data?
    package init(_ count: Int, _ weight: Double, _ note: String) {
      (self.count, self.weight, self.note) = (count, weight, note)
    }
  }
}
