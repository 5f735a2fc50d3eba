import SwiftData

/// The owner of animals. Each animal requires an owner.
@Model
final class PetOwner {
  @Attribute(.unique) var name: String
  var town = ""
  @Relationship(deleteRule: .cascade, inverse: \Animal.owner) var pets: [Animal] = []

  init(_ name: String) { self.name = name }
}

@Model
class Animal {
  var name: String
  var owner: PetOwner
  @Relationship(inverse: nil) var friend: Animal?

  init(_ name: String, owner: PetOwner) {
    self.name = name
    self.owner = owner
  }
}

@Model
final class Parrot: Animal {
  var words: Int

  init(_ name: String, words: Int = 0, owner: PetOwner) {
    self.words = words
    super.init(name, owner: owner)
  }
}

let petModels: [any PersistentModel.Type] = [PetOwner.self, Animal.self, Parrot.self]
