import SwiftData

enum Genre: String, Codable { case novel, essay }

struct Size: Codable, Hashable {
  var width: Double
  var height: Double
}

@Model
final class Author {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Book {
  var title: String
  var pages: Int
  var author: Author?
  @Relationship(inverse: \Tag.books) var tags: [Tag] = []

  init(_ title: String, pages: Int = 100, author: Author? = nil) {
    self.title = title
    self.pages = pages
    self.author = author
  }
}

@Model
final class Tag {
  var word: String
  var books: [Book] = []

  init(_ word: String) { self.word = word }
}

let libraryModels: [any PersistentModel.Type] = [Author.self, Book.self, Tag.self]

/// A model with one property of each kind that a custom store has to store.
@Model
final class Everything {
  var text = ""
  var truth = false
  var number = 0
  var small: Int8 = 0
  var unsigned: UInt64 = 0
  var real = 0.0
  var decimal: Decimal = 0
  var date = Date(timeIntervalSinceReferenceDate: 0)
  var data = Data()
  var uuid = UUID()
  var url = URL(filePath: "/")
  var genre = Genre.novel
  var size = Size(width: 0, height: 0)
  var words: [String] = []
  var counts: [String: Int] = [:]
  var optionalText: String?
  var optionalGenre: Genre?
  var optionalSize: Size?

  init() {}
}

@Model
final class Member {
  @Attribute(.unique) var number: Int
  var name: String

  init(_ number: Int, _ name: String) {
    self.number = number
    self.name = name
  }
}

@Model
class Vehicle {
  var wheels: Int
  init(wheels: Int) { self.wheels = wheels }
}

@Model
final class Truck: Vehicle {
  var load: Double
  init(load: Double) {
    self.load = load
    super.init(wheels: 6)
  }
}

/// A value that a value transformer stores as one byte. The transformer rejects the byte 0.
final class WaxSeal: Sendable {
  let mark: UInt8
  init(_ mark: UInt8) { self.mark = mark }
}

final class WaxSealTransformer: ValueTransformer, @unchecked Sendable {
  override func transformedValue(_ value: Any?) -> Any? { (value as? WaxSeal).map { Data([$0.mark]) } }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data)?.first.flatMap { $0 == 0 ? nil : WaxSeal($0) }
  }
}

@Model
final class SealedLetter {
  var title: String
  @Attribute(.transformable(by: WaxSealTransformer.self)) var seal: WaxSeal?

  init(_ title: String, seal: WaxSeal?) {
    self.title = title
    self.seal = seal
  }
}

@Model
final class Harbor {
  var name: String
  @Relationship(inverse: \Ship.harbor) var ships: [Ship] = []

  init(_ name: String) { self.name = name }
}

@Model
class Ship {
  var name: String
  var harbor: Harbor?

  init(_ name: String) { self.name = name }
}

@Model
final class Ferry: Ship {
  var cars: Int

  init(_ name: String, cars: Int) {
    self.cars = cars
    super.init(name)
  }
}

let harborModels: [any PersistentModel.Type] = [Harbor.self, Ship.self, Ferry.self]

/// One of two models in a one-to-one relationship. Only the row of one of the two models has a column for the
/// reference.
@Model
final class Pilot {
  var name: String
  @Relationship(inverse: \Licence.pilot) var licence: Licence?

  init(_ name: String) { self.name = name }
}

@Model
final class Licence {
  var number: Int
  var pilot: Pilot?

  init(_ number: Int) { self.number = number }
}

@Model
final class Lamp {
  var watts: Int

  init(_ watts: Int) { self.watts = watts }
}

/// A model whose deletion cascades to a model without an inverse.
@Model
final class Kiosk {
  var name: String
  @Relationship(deleteRule: .cascade) var lamp: Lamp?

  init(_ name: String, lamp: Lamp? = nil) {
    self.name = name
    self.lamp = lamp
  }
}

@Model
class Craft {
  @Attribute(.unique) var sign: Int

  init(sign: Int) { self.sign = sign }
}

@Model
final class Glider: Craft {
  var span: Double

  init(sign: Int, span: Double) {
    self.span = span
    super.init(sign: sign)
  }
}

@Model
final class Crew {
  @Relationship(inverse: \Sailor.crew) var sailors: [Sailor] = []

  init() {}
}

@Model
final class Sailor {
  @Attribute(.unique) var number: Int
  var crew: Crew?

  init(_ number: Int) { self.number = number }
}
