import SwiftData

let letterModels: [any PersistentModel.Type] = [Letter.self, Stamp.self]

/// A model with a to-one and a to-many relationship.
@Model
final class Letter {
  var text: String
  var count: Int = 0
  var tags: [String] = []
  var seal: Stamp?
  var stamps: [Stamp] = []

  init(_ text: String, seal: Stamp? = nil) {
    self.text = text
    self.seal = seal
  }
}

@Model
final class Stamp {
  var text: String

  init(_ text: String) {
    self.text = text
  }
}

/// A model with constants. A constant cannot be set later, so an object can be created only when its row is read.
@Model
final class Medal {
  let code: Int
  let rank: Rank
  var text: String

  init(code: Int, rank: Rank = .second, text: String) {
    self.code = code
    self.rank = rank
    self.text = text
  }
}

/// An enum that is not `CaseIterable`.
enum Rank: String, Codable {
  case first, second
}

@Model
final class Wearer {
  var name: String
  var medal: Medal?

  init(_ name: String) {
    self.name = name
  }
}

/// Two models that refer to each other.
@Model
final class Teacher {
  var name: String
  var pupils: [Pupil] = []

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Pupil {
  var name: String
  var teacher: Teacher?
  var friend: Pupil?

  init(_ name: String) {
    self.name = name
  }
}

/// An enum that cannot be decoded from empty input, because each case has an associated value.
enum Content: Codable, Equatable {
  case text(String)
  case number(Int)
}

@Model
final class Parcel {
  var name: String
  var content: Content

  init(_ name: String, content: Content) {
    self.name = name
    self.content = content
  }
}

/// A value that calls a closure of the test when it is encoded. Encoding a negative number throws.
struct Tripwire: Codable, Equatable {
  @TaskLocal private static var onEncode: (@Sendable () -> Void)?

  var number: Int

  init(_ number: Int) {
    self.number = number
  }

  init(from decoder: any Decoder) throws {
    number = try decoder.singleValueContainer().decode(Int.self)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
    Self.onEncode?()
    if number < 0 { throw Failure() }
  }

  /// Runs `body`, and calls `onEncode` each time that a `Tripwire` is encoded meanwhile.
  static func watch(_ onEncode: @escaping @Sendable () -> Void, during body: () -> Void) {
    $onEncode.withValue(onEncode, operation: body)
  }
}

@Model
final class Trap {
  @Attribute(.codable) var wire: Tripwire

  init(_ number: Int) {
    wire = Tripwire(number)
  }
}

/// A model with hand-written conformance.
final class Manual: PersistentModel {
  var persistentBackingData: any BackingData<Manual>

  init(backingData: any BackingData<Manual>) {
    persistentBackingData = backingData
  }

  init(_ name: String) {
    persistentBackingData = Manual.createBackingData()
    self.name = name
  }

  var name: String {
    get { getValue(forKey: \.name) }
    set { setValue(forKey: \.name, to: newValue) }
  }

  var stamp: Stamp? {
    get { getValue(forKey: \.stamp) }
    set { setValue(forKey: \.stamp, to: newValue) }
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(name: "name", keypath: \Manual.name, defaultValue: nil, metadata: nil),
      Schema.PropertyMetadata(name: "stamp", keypath: \Manual.stamp, defaultValue: nil, metadata: nil),
    ]
  }
}

@Model
final class ManualOwner {
  var name: String
  var manual: Manual?

  init(_ name: String) {
    self.name = name
  }
}

/// Models for two stores of one container.
@Model
final class Left {
  var name: String

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Right {
  var name: String
  var target: Target?

  init(_ name: String) {
    self.name = name
  }
}

@Model
final class Target {
  var name: String

  init(_ name: String) {
    self.name = name
  }
}
