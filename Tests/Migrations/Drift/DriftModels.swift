import SwiftData

/// Schema versions as a program released them. Other types contain the same versions after a developer changed the
/// models by mistake.
enum Recorded {
  enum Workshop1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Smith.self, Tool.self] }

    @Model final class Smith {
      @Attribute(.unique, originalName: "title") var name: String
      var grade: SmithGrade = SmithGrade.apprentice
      var motto: String = "no \"haste\""
      var wage: Decimal = Decimal(string: "12.5")!
      var born: Date = Date(timeIntervalSinceReferenceDate: 86_400)
      var badge: UUID = UUID(uuidString: "6F1C1B0A-35F5-4D0C-9B5B-0E6C55D0F2A1")!
      var website: URL = URL(string: "https://example.com")!
      var seal: Data = Data(base64Encoded: "AQID")!
      var limit: Double = Double.infinity
      @Attribute(.externalStorage) var photo: Data?
      @Attribute(hashModifier: "2") var notes: [String]
      @Relationship(deleteRule: .cascade, maximumModelCount: 9, inverse: \Tool.owner) var tools: [Tool] = []
      @Relationship var teacher: Smith?

      init(name: String, notes: [String]) {
        self.name = name
        self.notes = notes
      }
    }

    @Model final class Tool {
      #Unique<Tool>([\.maker, \.number])
      #Index<Tool>([\.number], [\.maker, \.weight])
      var maker: String
      var number: Int
      var weight: Double = 0.5
      var isSharp: Bool = true
      var owner: Smith?

      init(maker: String, number: Int) {
        self.maker = maker
        self.number = number
      }
    }
  }
}

enum SmithGrade: Int, Codable {
  case apprentice = 1
  case master
}

/// A released version with a class and its subclass.
enum RecordedFleet {
  enum Fleet1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Vessel.self, Ferry.self] }

    @Model class Vessel {
      var name: String

      init(name: String) { self.name = name }
    }

    @Model final class Ferry: Vessel {
      var places: Int
      var isOpen: Bool = true

      init(name: String, places: Int) {
        self.places = places
        super.init(name: name)
      }
    }
  }
}

/// A released version with structs, a value transformer, keywords as names, and a subclass whose initialiser has no
/// parameters.
enum RecordedYard {
  enum Yard1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Boat.self, Dinghy.self, `default`.self] }

    struct Place: Codable {
      var longitude: Double
      var latitude: Double
    }

    struct Berth: Codable {
      var number = 0
      var place: Place?
      var `case` = SmithGrade.master
    }

    @Model class Boat {
      #Index<Boat>([\.former?.number], [\.berth.`case`, \.name])
      var name: String
      var berth: Berth
      var former: Berth?
      @Attribute(.transformable(by: PaintTransformer.self)) var paint: Paint
      @Relationship(inverse: \`default`.`in`) var `repeat`: `default`?

      init(_ name: String) {
        self.name = name
        berth = Berth()
        paint = Paint(red: 1)
      }
    }

    @Model final class Dinghy: Boat {
      var isFolding = false

      override init(_ name: String) { super.init(name) }
    }

    @Model final class `default` {
      #Unique<`default`>([\.`class`, \.`init`])
      var `class`: String
      var `init`: Int
      var `in`: [Boat] = []

      init() {
        `class` = ""
        `init` = 0
      }
    }
  }
}

struct Paint: Hashable, Sendable {
  let red: UInt8
}

final class PaintTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? { (value as? Paint).map { Data([$0.red]) } }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data)?.first.map { Paint(red: $0) }
  }
}

/// A released version with two different structs of the same name, and with a value transformer that is registered by a
/// name.
enum RecordedPier {
  enum Old {
    struct Post: Codable { var depth: Double }
  }

  enum New {
    struct Post: Codable { var height: Int }
  }

  enum Pier1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Pier.self] }

    @Model final class Pier {
      var first: Old.Post
      var second: New.Post
      @Attribute(.transformable(by: "HarbourPaint")) var paint: Paint

      init(_ paint: Paint) {
        first = Old.Post(depth: 1)
        second = New.Post(height: 1)
        self.paint = paint
      }
    }
  }
}

extension Drifting {
  /// ``RecordedYard`` after the mistake: the struct has lost a field.
  enum Yard1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Boat.self] }

    struct Berth: Codable {
      var number = 0
    }

    @Model class Boat {
      var name: String
      var berth: Berth

      init(_ name: String) {
        self.name = name
        berth = Berth()
      }
    }
  }

  enum Pier1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Pier.self] }

    @Model final class Pier {
      var name: String = ""

      init() {}
    }
  }

  enum Fleet1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Vessel.self] }

    @Model final class Vessel {
      var name: String = ""

      init() {}
    }
  }
}

/// ``Recorded`` after the mistake: a smith has lost a property, and a tool has a new one.
enum Drifting {
  enum Workshop1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Smith.self, Tool.self] }

    @Model final class Smith {
      @Attribute(.unique, originalName: "title") var name: String
      @Relationship(deleteRule: .cascade, inverse: \Tool.owner) var tools: [Tool] = []

      init(name: String) { self.name = name }
    }

    @Model final class Tool {
      var maker: String
      var price: Int = 0
      var owner: Smith?

      init(maker: String) { self.maker = maker }
    }
  }

  /// A changed version whose migration needs code: a new property is required and has no default.
  enum Harder: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Tool.self] }

    @Model final class Tool {
      var maker: String
      var stamp: Int

      init(maker: String, stamp: Int) {
        self.maker = maker
        self.stamp = stamp
      }
    }
  }

  enum Later: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Tool.self] }

    @Model final class Tool {
      var maker: String

      init(maker: String) { self.maker = maker }
    }
  }
}
