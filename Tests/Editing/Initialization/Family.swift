import ConformanceSupport
import SwiftData

@Model
final class Guardian {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Pupil.guardian) var pupils: [Pupil] = []
  @Relationship(inverse: \Pet.owner) var pets: [Pet] = []

  init(_ name: String) { self.name = name }

  /// Sets the to-many relationship before the required property `name`.
  init(pets: [Pet], _ name: String) {
    self.pets = pets
    self.name = name
  }
}

/// A model that requires a guardian. Its initialisers set other properties before or after the guardian.
@Model
final class Pupil {
  var name: String
  var guardian: Guardian
  var age: Int
  var note: String?
  @Transient var seen = -1

  init(_ name: String, first guardian: Guardian) {
    self.guardian = guardian
    // The object lacks values at this point, so the guardian's list of pupils must not contain the object yet.
    let count = guardian.pupils.count
    self.name = name
    self.age = 7
    seen = count
  }

  init(_ name: String, last guardian: Guardian) {
    self.name = name
    self.name = name + "!"
    self.age = 8
    self.guardian = guardian
    note = "\(guardian.pupils.count)"
  }

  /// Sets the guardian, and may throw before the age is set.
  init(failing guardian: Guardian, isComplete: Bool) throws {
    self.guardian = guardian
    self.name = "never"
    if !isComplete { throw Failure() }
    self.age = 9
  }
}

/// A model whose initialiser sets the properties in different branches, and cannot throw.
@Model
final class Boarder {
  var name: String
  var guardian: Guardian
  var room: Int

  init(_ name: String?, _ guardian: Guardian, isNew: Bool) {
    if let name {
      self.guardian = guardian
      self.name = name
    } else {
      self.name = "nobody"
      self.guardian = guardian
    }
    switch isNew {
    case true: room = 1
    case false: room = 2
    }
  }
}

@Model
class Pet {
  var name: String
  var owner: Guardian?

  init(_ name: String, owner: Guardian?) {
    self.owner = owner
    self.name = name
  }
}

@Model
final class Dog: Pet {
  var tricks: [String]

  init(_ name: String, owner: Guardian?, tricks: [String]) {
    self.tricks = tricks
    super.init(name, owner: owner)
  }
}

enum Family {
  static let models: [any PersistentModel.Type] = [
    Guardian.self, Pupil.self, Boarder.self, Pet.self, Dog.self,
  ]
}
