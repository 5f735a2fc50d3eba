import SwiftData

/// A model with one property of each kind: numbers, texts, arrays, structs, external data and relationships.
@Model
final class Artist {
  var name: String
  var age: Int
  var score: Double
  var address: Address?
  var tags: [String]
  @Attribute(.externalStorage) var portrait: Data?
  var studio: Studio?
  @Relationship(deleteRule: .cascade, inverse: \Work.artist) var works: [Work] = []
  @Relationship(inverse: \Group.members) var groups: [Group] = []

  init(_ name: String, age: Int = 30, studio: Studio? = nil) {
    self.name = name
    self.age = age
    self.score = 0
    self.tags = []
    self.studio = studio
  }
}

struct Address: Codable, Equatable {
  var city: String
  var zip: Int
}

@Model
final class Studio {
  var name: String
  @Relationship(inverse: \Artist.studio) var artists: [Artist] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Work {
  var title: String
  /// The column contains 64-bit integers, so a value in the file can be out of range for this type.
  var year: Int16 = 2000
  var artist: Artist?

  init(_ title: String, artist: Artist? = nil) {
    self.title = title
    self.artist = artist
  }
}

@Model
final class Group {
  var name: String
  var members: [Artist] = []

  init(_ name: String) { self.name = name }
}

enum Studios {
  static let models: [any PersistentModel.Type] = [Artist.self, Studio.self, Work.self, Group.self]
}
