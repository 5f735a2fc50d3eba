import SwiftData

// Models for every kind of relationship. Each model has a name, and tests compare lists by these names.

let graphModels: [any PersistentModel.Type] = [
  Shop.self, Ware.self, Garden.self, Plant.self, Driver.self, Car.self, Student.self, Course.self, Folder.self,
  Person.self, Airport.self, Flight.self, Playlist.self, Song.self, Film.self, Review.self, Receipt.self,
  ReceiptLine.self, Crew.self, Sailor.self,
]

/// A model that tests find by its name.
protocol Named: PersistentModel {
  var name: String { get set }
}

// MARK: One to many

/// A list whose inverse, `Ware.shop`, is inferred because no attribute names it.
@Model
final class Shop: Named {
  var name: String
  var wares: [Ware] = []

  init(_ name: String, wares: [Ware] = []) {
    self.name = name
    self.wares = wares
  }
}

@Model
final class Ware: Named {
  var name: String
  var shop: Shop?

  init(_ name: String, shop: Shop? = nil) {
    self.name = name
    self.shop = shop
  }
}

/// A model whose list is optional.
@Model
final class Garden: Named {
  var name: String
  @Relationship(inverse: \Plant.garden) var plants: [Plant]?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Plant: Named {
  var name: String
  var garden: Garden?

  init(_ name: String) {
    self.name = name
  }
}

/// A model with a list whose members have a non-optional reference to it.
@Model
final class Receipt: Named {
  var name: String
  @Relationship(inverse: \ReceiptLine.receipt) var lines: [ReceiptLine] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class ReceiptLine: Named {
  var name: String
  var receipt: Receipt

  init(_ name: String, receipt: Receipt) {
    self.name = name
    self.receipt = receipt
  }
}

/// A model whose list must have at least one and at most three members.
@Model
final class Crew: Named {
  var name: String
  @Relationship(minimumModelCount: 1, maximumModelCount: 3, inverse: \Sailor.crew) var sailors: [Sailor] = []

  init(_ name: String, sailors: [Sailor] = []) {
    self.name = name
    self.sailors = sailors
  }
}

@Model
final class Sailor: Named {
  var name: String
  var crew: Crew?

  init(_ name: String) {
    self.name = name
  }
}

// MARK: One to one, many to many

@Model
final class Driver: Named {
  var name: String
  var car: Car?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Car: Named {
  var name: String
  var driver: Driver?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Student: Named {
  var name: String
  @Relationship(inverse: \Course.students) var courses: [Course] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Course: Named {
  var name: String
  var students: [Student] = []

  init(_ name: String) {
    self.name = name
  }
}

// MARK: Relationships of an entity to itself

@Model
final class Folder: Named {
  var name: String
  var parent: Folder?
  @Relationship(deleteRule: .cascade, inverse: \Folder.parent) var children: [Folder] = []

  init(_ name: String, parent: Folder? = nil) {
    self.name = name
    self.parent = parent
  }
}

/// Relationships that are their own inverses. The compiler rejects a key path to a property in the property's own
/// attribute, but accepts a key path from a static property.
@Model
final class Person: Named {
  static var friendsInverse: AnyKeyPath { \Person.friends }
  static var partnerInverse: AnyKeyPath { \Person.partner }

  var name: String
  @Relationship(inverse: Person.friendsInverse) var friends: [Person] = []
  @Relationship(inverse: Person.partnerInverse) var partner: Person?

  init(_ name: String) {
    self.name = name
  }
}

// MARK: Several relationships between two entities

@Model
final class Airport: Named {
  var name: String
  @Relationship(inverse: \Flight.origin) var departures: [Flight] = []
  @Relationship(inverse: \Flight.destination) var arrivals: [Flight] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Flight: Named {
  var name: String
  var origin: Airport?
  var destination: Airport?

  init(_ name: String) {
    self.name = name
  }
}

// MARK: One way

/// A model with relationships to songs. A song has no relationship to its playlists.
@Model
final class Playlist: Named {
  var name: String
  var songs: [Song] = []
  var opener: Song?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Song: Named {
  var name: String

  init(_ name: String) {
    self.name = name
  }
}

/// Two models with a relationship to each other. Without `inverse: nil`, each would be inferred as the inverse of the
/// other.
@Model
final class Film: Named {
  var name: String
  @Relationship(inverse: nil) var bestReview: Review?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Review: Named {
  var name: String
  @Relationship(inverse: nil) var film: Film?

  init(_ name: String) {
    self.name = name
  }
}
