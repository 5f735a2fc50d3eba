import SwiftData

// The code that drift errors print for the versions in `Recorded`, `RecordedFleet` and `RecordedYard`. DriftTests
// compares it with these errors.

enum Workshop1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Smith.self, Tool.self] }

  // The schema has only the names of SmithGrade (stored as Int).
  // What has changed of them since has to be declared here as it was.

  @Model
  final class Smith {
    var badge: UUID = UUID(uuidString: "6F1C1B0A-35F5-4D0C-9B5B-0E6C55D0F2A1")!
    var born: Date = Date(timeIntervalSinceReferenceDate: 86400.0)
    var grade: SmithGrade = (SmithGrade(rawValue: 1) as SmithGrade?)!
    var limit: Double = Double("inf")!
    var motto: String = "no \"haste\""
    @Attribute(.unique, originalName: "title") var name: String
    @Attribute(hashModifier: "2") var notes: [String]
    @Attribute(.externalStorage) var photo: Data?
    var seal: Data = Data(base64Encoded: "AQID")!
    var wage: Decimal = Decimal(string: "12.5")!
    var website: URL = URL(string: "https://example.com")!
    @Relationship(inverse: nil) var teacher: Smith?
    @Relationship(deleteRule: .cascade, maximumModelCount: 9, inverse: \Tool.owner) var tools: [Tool] = []

    init(name: String, notes: [String]) {
      self.name = name
      self.notes = notes
    }
  }

  @Model
  final class Tool {
    #Unique<Tool>([\.maker, \.number])
    #Index<Tool>([\.maker, \.weight], [\.number])

    var isSharp: Bool = true
    var maker: String
    var number: Int
    var weight: Double = 0.5
    var owner: Smith?

    init(maker: String, number: Int) {
      self.maker = maker
      self.number = number
    }
  }
}

enum Fleet1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Ferry.self, Vessel.self] }

  @Model
  final class Ferry: Vessel {
    var isOpen: Bool = true
    var places: Int

    init(name: String, places: Int) {
      self.places = places
      super.init(name: name)
    }
  }

  @Model
  class Vessel {
    var name: String

    init(name: String) {
      self.name = name
    }
  }
}

enum Yard1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Boat.self, Dinghy.self, `default`.self] }

  // The schema has only the names of Paint, SmithGrade (stored as Int).
  // What has changed of them since has to be declared here as it was.

  // Structs by their stored fields: nothing else of them is in a schema.
  struct Berth: Codable {
    var `case`: SmithGrade
    var number: Int
    var place: Place?
  }

  struct Place: Codable {
    var latitude: Double
    var longitude: Double
  }

  @Model
  class Boat {
    #Index<Boat>([\.berth.`case`, \.name], [\.former?.number])

    var berth: Berth
    var former: Berth?
    var name: String
    @Attribute(.transformable(by: PaintTransformer.self)) var paint: Paint
    @Relationship(inverse: \`default`.`in`) var `repeat`: `default`?

    init(berth: Berth, name: String, paint: Paint) {
      self.berth = berth
      self.name = name
      self.paint = paint
    }
  }

  @Model
  final class Dinghy: Boat {
    var isFolding: Bool = false

    override init(berth: Berth, name: String, paint: Paint) {
      super.init(berth: berth, name: name, paint: paint)
    }
  }

  @Model
  final class `default` {
    #Unique<`default`>([\.`class`, \.`init`])

    var `class`: String
    var `init`: Int
    var `in`: [Boat] = []

    init(`class`: String, `init`: Int) {
      self.`class` = `class`
      self.`init` = `init`
    }
  }
}
