import SwiftData
import Testing

enum Tint: String, Codable {
  case calm, glad
}

struct Spot: Codable, Equatable {
  var city: String
  var zip: Int
}

/// A model with one property of each kind of stored value.
@Model
final class Sample {
  var name: String
  var count: Int
  var level: Int?
  var mood: Tint
  var otherMood: Tint?
  var tags: [String]
  var spot: Spot
  var spare: Spot?
  var made: Date
  var bytes: Data
  var token: UUID?
  var box: Hamper?

  init(_ name: String, count: Int = 1, box: Hamper? = nil) {
    self.name = name
    self.count = count
    self.level = 1
    self.mood = .calm
    self.tags = ["a"]
    self.spot = Spot(city: "Oslo", zip: 1)
    self.made = Date(timeIntervalSinceReferenceDate: 1_000_000)
    self.bytes = Data([1])
    self.box = box
  }
}

@Model
final class Hamper {
  var name: String
  @Relationship(deleteRule: .nullify, inverse: \Sample.box) var samples: [Sample] = []
  @Relationship(deleteRule: .cascade, inverse: \Lid.box) var lids: [Lid] = []
  @Relationship(inverse: \SampleMark.boxes) var marks: [SampleMark] = []

  init(_ name: String) { self.name = name }
}

@Model
final class Lid {
  var name: String
  var box: Hamper

  init(_ name: String, box: Hamper) {
    self.name = name
    self.box = box
  }
}

@Model
final class SampleMark {
  var name: String
  var boxes: [Hamper] = []

  init(_ name: String) { self.name = name }
}

let sampleModels: [any PersistentModel.Type] = [
  Sample.self, Hamper.self, Lid.self, SampleMark.self, Medal.self, Wearer.self,
]

extension TestStore {
  /// Creates a store in a file, with a box that has a lid and contains the samples "a" and "b".
  static func ofSamples() throws -> TestStore {
    let store = try TestStore(.file, sampleModels)
    let context = store.context()
    let box = Hamper("box")
    context.insert(box)
    context.insert(Sample("a", count: 41, box: box))
    context.insert(Sample("b", count: 42, box: box))
    context.insert(Lid("lid", box: box))
    try context.save()
    return store
  }

  /// Executes SQL statements on the file, like another program that does not enforce foreign keys.
  func write(_ statements: String...) throws {
    let raw = try raw
    for statement in statements { try raw.run(statement) }
  }

  /// Replaces a table by a copy without constraints and indexes, so that every column accepts NULL.
  func loosen(_ table: String) throws {
    let columns = try raw.rows("PRAGMA table_info(\"\(table)\")").map { column in
      "\"\(column[1] ?? "")\" \(column[2] ?? "")" + (column[1] == "_osd_key" ? " PRIMARY KEY" : "")
    }
    try write(
      "CREATE TABLE anew (\(columns.joined(separator: ", ")))", "INSERT INTO anew SELECT * FROM \"\(table)\"",
      "DROP TABLE \"\(table)\"", "ALTER TABLE anew RENAME TO \"\(table)\"")
  }
}

extension ModelContext {
  func sample(_ name: String = "a") throws -> Sample {
    try #require(try fetch(FetchDescriptor<Sample>(predicate: #Predicate { $0.name == name })).first)
  }

  func all<T: PersistentModel>(_ type: T.Type) throws -> [T] { try fetch(FetchDescriptor<T>()) }

  /// The explanations of the errors of the context's unread values.
  var unreadErrors: [String] { unreadValues.map { $0.error.explanation ?? "" } }
}
