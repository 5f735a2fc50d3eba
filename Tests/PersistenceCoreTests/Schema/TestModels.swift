import Foundation
import PersistenceCore

// The models are written without `@Model`: each contains the code that the macro would generate.

typealias Metadata = Schema.PropertyMetadata

// MARK: A valid schema

enum TripStatus: String, Codable { case planned, done }

struct Place: Codable, Hashable {
  var city = ""
  var zip = 0
}

final class Trip: PersistentModel {
  var persistentBackingData: any BackingData<Trip>

  init(backingData: any BackingData<Trip>) { persistentBackingData = backingData }

  var name = "new"
  var price: Double = 0
  var start: Date = .distantPast
  var end: Date?
  var token = UUID()
  var status = TripStatus.planned
  var place = Place()
  var photo: Data?
  var tags: [String] = []
  var draft = ""
  var stops: [Stop] = []
  var owner: Traveller?

  static var schemaMetadata: [Metadata] {
    [
      Metadata(name: "name", keypath: \Trip.name, defaultValue: "new", metadata: Schema.Attribute(.unique)),
      Metadata(name: "price", keypath: \Trip.price, defaultValue: 0),
      Metadata(name: "start", keypath: \Trip.start, defaultValue: Date.distantPast),
      Metadata(name: "end", keypath: \Trip.end, metadata: Schema.Attribute(originalName: "finish")),
      Metadata(name: "token", keypath: \Trip.token, defaultValue: UUID()),
      Metadata(name: "status", keypath: \Trip.status, defaultValue: TripStatus.planned),
      Metadata(name: "place", keypath: \Trip.place, defaultValue: Place()),
      Metadata(name: "photo", keypath: \Trip.photo, metadata: Schema.Attribute(.externalStorage)),
      Metadata(name: "tags", keypath: \Trip.tags, defaultValue: [String]()),
      Metadata(name: "draft", keypath: \Trip.draft, defaultValue: "", metadata: Schema.Attribute(.ephemeral)),
      Metadata(name: "stops", keypath: \Trip.stops, metadata: Schema.Relationship(deleteRule: .cascade)),
      Metadata(name: "owner", keypath: \Trip.owner),
      Metadata(
        name: "SwiftData.Schema.Index",
        keypath: \Schema.encodingVersion,
        metadata: Schema.Index<Trip>([\.start], [\.name, \.start])
      ),
      Metadata(
        name: "SwiftData.Schema.Unique",
        keypath: \Schema.encodingVersion,
        metadata: Schema.Unique<Trip>([\.name], [\.start, \.owner])
      ),
    ]
  }
}

final class Stop: PersistentModel {
  var persistentBackingData: any BackingData<Stop>

  init(backingData: any BackingData<Stop>) { persistentBackingData = backingData }

  var title = ""
  var trip: Trip?

  static var schemaMetadata: [Metadata] {
    [
      Metadata(name: "title", keypath: \Stop.title, defaultValue: ""),
      Metadata(name: "trip", keypath: \Stop.trip),
    ]
  }
}

final class Traveller: PersistentModel {
  var persistentBackingData: any BackingData<Traveller>

  init(backingData: any BackingData<Traveller>) { persistentBackingData = backingData }

  var trips: [Trip]? = []
  var friends: [Traveller] = []
  var invited: [Trip] = []

  static var schemaMetadata: [Metadata] {
    [
      Metadata(
        name: "trips", keypath: \Traveller.trips, metadata: Schema.Relationship(inverse: \Trip.owner)
      ),
      Metadata(
        name: "friends", keypath: \Traveller.friends, metadata: Schema.Relationship(inverse: \Traveller.friends)
      ),
      Metadata(name: "invited", keypath: \Traveller.invited),
    ]
  }
}

// MARK: Inheritance

class Vehicle: PersistentModel {
  var persistentBackingData: any BackingData<Vehicle>

  required init(backingData: any BackingData<Vehicle>) { persistentBackingData = backingData }

  var wheels = 4

  class var schemaMetadata: [Metadata] {
    [Metadata(name: "wheels", keypath: \Vehicle.wheels, defaultValue: 4, metadata: Schema.Attribute(.unique))]
  }
}

final class Truck: Vehicle {
  var load = 0

  override class var schemaMetadata: [Metadata] {
    [Metadata(name: "load", keypath: \Truck.load, defaultValue: 0)]
  }
}

/// A subclass whose metadata lists the inherited properties again, with key paths of the subclass.
final class Bus: Vehicle {
  var seats = 0

  override class var schemaMetadata: [Metadata] {
    [
      Metadata(name: "wheels", keypath: \Bus.wheels, defaultValue: 4, metadata: Schema.Attribute(.unique)),
      Metadata(name: "seats", keypath: \Bus.seats, defaultValue: 0),
      Metadata(
        name: "SwiftData.Schema.Index",
        keypath: \Schema.encodingVersion,
        metadata: Schema.Index<Bus>([\.wheels, \.seats])
      ),
    ]
  }
}

// MARK: Inferred inverses

final class School: PersistentModel {
  var persistentBackingData: any BackingData<School>

  init(backingData: any BackingData<School>) { persistentBackingData = backingData }

  var students: [Student] = []

  static var schemaMetadata: [Metadata] { [Metadata(name: "students", keypath: \School.students)] }
}

final class Student: PersistentModel {
  var persistentBackingData: any BackingData<Student>

  init(backingData: any BackingData<Student>) {
    persistentBackingData = backingData
    school = School(backingData: KeyPathBackingData(for: School.self))
  }

  var school: School
  var courses: [Course] = []

  init(school: School) {
    persistentBackingData = KeyPathBackingData(for: Student.self)
    self.school = school
  }

  static var schemaMetadata: [Metadata] {
    [
      Metadata(name: "school", keypath: \Student.school),
      Metadata(name: "courses", keypath: \Student.courses),
    ]
  }
}

final class Course: PersistentModel {
  var persistentBackingData: any BackingData<Course>

  init(backingData: any BackingData<Course>) { persistentBackingData = backingData }

  var students: [Student] = []
  var sequel: Course?
  var prequel: Course?

  static var schemaMetadata: [Metadata] {
    [
      Metadata(name: "students", keypath: \Course.students),
      Metadata(name: "sequel", keypath: \Course.sequel),
      Metadata(name: "prequel", keypath: \Course.prequel),
    ]
  }
}

final class Team: PersistentModel {
  var persistentBackingData: any BackingData<Team>

  init(backingData: any BackingData<Team>) { persistentBackingData = backingData }

  var members: [Player] = []
  var captain: Player?

  static var schemaMetadata: [Metadata] {
    [
      Metadata(name: "members", keypath: \Team.members),
      Metadata(name: "captain", keypath: \Team.captain),
    ]
  }
}

final class Player: PersistentModel {
  var persistentBackingData: any BackingData<Player>

  init(backingData: any BackingData<Player>) { persistentBackingData = backingData }

  var team: Team?

  static var schemaMetadata: [Metadata] { [Metadata(name: "team", keypath: \Player.team)] }
}

// MARK: Contradictions

final class Engine {}

final class NotedEngine: Codable {}

final class Shed: PersistentModel {
  var persistentBackingData: any BackingData<Shed>

  init(backingData: any BackingData<Shed>) { persistentBackingData = backingData }

  var engine = Engine()
  var noted = NotedEngine()
  var related: Engine?
  var keys: Set<Player> = []
  var count = 0
  var big = ""
  var place = Place()
  var strange = 0
  var double: Double { Double(count) }

  static var schemaMetadata: [Metadata] {
    [
      Metadata(name: "engine", keypath: \Shed.engine),
      Metadata(name: "noted", keypath: \Shed.noted),
      Metadata(name: "related", keypath: \Shed.related, metadata: Schema.Relationship()),
      Metadata(name: "keys", keypath: \Shed.keys),
      Metadata(name: "count", keypath: \Shed.count, defaultValue: "none"),
      Metadata(name: "big", keypath: \Shed.big, metadata: Schema.Attribute(.externalStorage)),
      Metadata(name: "place", keypath: \Shed.place),
      Metadata(name: "strange", keypath: \Shed.strange, metadata: Schema.Unique<Shed>()),
      Metadata(
        name: "SwiftData.Schema.Index",
        keypath: \Schema.encodingVersion,
        metadata: Schema.Index<Shed>([\.place.city], [], [\.double])
      ),
    ]
  }
}

final class Letter: PersistentModel {
  var persistentBackingData: any BackingData<Letter>

  init(backingData: any BackingData<Letter>) { persistentBackingData = backingData }

  var sender: Mailbox?
  var unrelated: Mailbox?

  static var schemaMetadata: [Metadata] {
    [
      Metadata(
        name: "sender", keypath: \Letter.sender, metadata: Schema.Relationship(inverse: \Mailbox.colour)
      ),
      Metadata(
        name: "unrelated", keypath: \Letter.unrelated, metadata: Schema.Relationship(inverse: \Mailbox.courses)
      ),
    ]
  }
}

final class Mailbox: PersistentModel {
  var persistentBackingData: any BackingData<Mailbox>

  init(backingData: any BackingData<Mailbox>) { persistentBackingData = backingData }

  var colour = "red"
  var courses: [Course] = []

  static var schemaMetadata: [Metadata] {
    [
      Metadata(name: "colour", keypath: \Mailbox.colour, defaultValue: "red"),
      Metadata(name: "courses", keypath: \Mailbox.courses),
    ]
  }
}

// MARK: Versions

enum NotesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self] }

  final class Note: PersistentModel {
    var persistentBackingData: any BackingData<Note>

    init(backingData: any BackingData<Note>) { persistentBackingData = backingData }

    var text = ""
    var rank = 0
    var old = ""

    static var schemaMetadata: [Metadata] {
      [
        Metadata(name: "text", keypath: \Note.text, defaultValue: ""),
        Metadata(name: "rank", keypath: \Note.rank, defaultValue: 0),
        Metadata(name: "old", keypath: \Note.old),
      ]
    }
  }
}

enum NotesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Note.self, Folder.self] }

  final class Note: PersistentModel {
    var persistentBackingData: any BackingData<Note>

    init(backingData: any BackingData<Note>) { persistentBackingData = backingData }

    var body: String? = ""
    var rank = "low"
    var folder: Folder?

    static var schemaMetadata: [Metadata] {
      [
        Metadata(
          name: "body", keypath: \Note.body, defaultValue: "empty", metadata: Schema.Attribute(originalName: "text")
        ),
        Metadata(name: "rank", keypath: \Note.rank, defaultValue: "low", metadata: Schema.Attribute(.unique)),
        Metadata(name: "folder", keypath: \Note.folder, metadata: Schema.Relationship(deleteRule: .deny)),
      ]
    }
  }

  final class Folder: PersistentModel {
    var persistentBackingData: any BackingData<Folder>

    init(backingData: any BackingData<Folder>) { persistentBackingData = backingData }

    var name = ""

    static var schemaMetadata: [Metadata] { [Metadata(name: "name", keypath: \Folder.name, defaultValue: "")] }
  }
}
