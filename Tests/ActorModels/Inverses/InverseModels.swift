import SwiftData

// Models that are actors or are isolated to one, and nonisolated classes whose relationships have inverses in these
// models.

let kennelModels: [any PersistentModel.Type] = [
  Kennel.self, Dog.self, Walker.self, Club.self, Vet.self, Patient.self, Tower.self, Bell.self,
]

@Model
actor Kennel {
  @Attribute(.unique) var name: String
  var dogs: [Dog] = []
  var guardDog: Dog?
  var walkers: [Walker] = []
  var club: Club?

  func dogNames() -> [String] { dogs.map(\.name) }

  func walkerNames() -> [String] { walkers.map(\.name) }

  /// Adds a new walker, and returns the identifiers of the walker's kennels.
  func hire(_ name: String) -> [PersistentIdentifier] {
    let walker = Walker(name)
    walkers.append(walker)
    return walker.kennels.map(\.id)
  }

  func adopt(_ name: String) { dogs.append(Dog(name)) }

  func post(_ name: String?) { guardDog = name.map(Dog.init) }
}

@Model
final class Dog {
  var name: String
  @Relationship(inverse: \Kennel.dogs) var kennel: Kennel?
  @Relationship(deleteRule: .deny, inverse: \Kennel.guardDog) var post: Kennel?

  init(_ name: String) { self.name = name }
}

@Model
final class Walker {
  var name: String
  @Relationship(inverse: \Kennel.walkers) var kennels: [Kennel] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Club {
  @Relationship(deleteRule: .cascade, inverse: \Kennel.club) var kennels: [Kennel]? = []

  init() {}
}

@Model
@StoreActor
final class Vet {
  var name: String
  var patients: [Patient] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Patient {
  var name: String
  @Relationship(inverse: \Vet.patients) var vet: Vet?

  init(_ name: String) { self.name = name }
}

@Model(isolatedTo: Cellar.self)
@Cellar
final class Tower {
  var bells: [Bell] = []

  init() {}
}

@Model
final class Bell {
  var weight: Int
  @Relationship(inverse: \Tower.bells) var tower: Tower?

  init(_ weight: Int) { self.weight = weight }
}
