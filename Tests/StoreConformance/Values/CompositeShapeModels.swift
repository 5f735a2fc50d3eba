import SwiftData

/// A struct whose `encode(to:)` and `init(from:)` always throw. The store reads and writes its fields directly.
struct Uncoded: Codable, Equatable {
  var left: Int
  let right: String

  init(left: Int, right: String) {
    self.left = left
    self.right = right
  }

  init(from decoder: any Decoder) throws { throw Failure() }
  func encode(to encoder: any Encoder) throws { throw Failure() }
}

/// A generic struct with two values.
struct Pair<First: Codable & Equatable, Second: Codable & Equatable>: Codable, Equatable {
  var first: First
  var second: Second
}

@propertyWrapper
struct Clamped: Codable, Equatable {
  var wrappedValue: Int
}

struct Settings: Codable, Equatable {
  @Clamped var volume: Int
  private(set) var name: String
}

final class Holder: Codable, Equatable {
  var number: Int

  init(_ number: Int) { self.number = number }
  static func == (lhs: Holder, rhs: Holder) -> Bool { lhs.number == rhs.number }
}

/// Each of the following structs is stored as JSON and not in a column for each field, for a different reason.
struct WithClosure: Codable, Equatable {
  var number: Int
  var action: (@Sendable () -> Void)?

  enum CodingKeys: CodingKey { case number }
  static func == (lhs: WithClosure, rhs: WithClosure) -> Bool { lhs.number == rhs.number }
}

struct WithWeak: Codable, Equatable {
  var number: Int
  weak var holder: Holder?

  enum CodingKeys: CodingKey { case number }
  static func == (lhs: WithWeak, rhs: WithWeak) -> Bool { lhs.number == rhs.number }
}

struct WithAny: Codable, Equatable {
  var number: Int
  var cache: Any?

  enum CodingKeys: CodingKey { case number }
  init(number: Int) { self.number = number }
  static func == (lhs: WithAny, rhs: WithAny) -> Bool { lhs.number == rhs.number }
}

struct Empty: Codable, Equatable {}

/// A struct that has a column for each field. Some of its fields are structs that are stored as JSON.
struct Outer: Codable, Equatable {
  var title: String
  var inner: WithClosure
  var empty: Empty
  var holder: Holder
  var span: Range<Int>
}

@Model
final class Shapes {
  var position: Int
  var uncoded: Uncoded = Uncoded(left: 0, right: "")
  var pair: Pair<Date, Pair<Int?, [String]>> = Pair(first: .distantPast, second: Pair(first: nil, second: []))
  var settings: Settings = Settings(volume: 0, name: "")
  var closure: WithClosure = WithClosure(number: 0)
  var weak: WithWeak = WithWeak(number: 0)
  var any: WithAny = WithAny(number: 0)
  var empty: Empty = Empty()
  var outer: Outer?
  var span: Range<Int> = 0..<1
  var components: DateComponents = DateComponents()
  var name: PersonNameComponents?
  var point: CGPoint = CGPoint.zero
  var holder: Holder = Holder(0)
  @Attribute(.codable) var whole: Coordinates = Coordinates(latitude: 0, longitude: 0)
  @Attribute(.ephemeral) var passing: Coordinates?

  init(position: Int) { self.position = position }
}

extension Shapes: Positioned {}

@Model
final class Bare {
  var uncoded: Uncoded

  init(uncoded: Uncoded) { self.uncoded = uncoded }
}

/// A model with constants whose types are structs.
@Model
final class Fixed {
  let origin: Coordinates
  let region: Region?
  var position: Int
  let address: Address?

  init(origin: Coordinates, region: Region?, position: Int, address: Address?) {
    self.origin = origin
    self.region = region
    self.position = position
    self.address = address
  }
}

/// A model with hand-written conformance.
final class ManualSite: PersistentModel {
  var persistentBackingData: any BackingData<ManualSite>

  required init(backingData: any BackingData<ManualSite>) { persistentBackingData = backingData }

  init(_ address: Address, region: Region?) {
    persistentBackingData = ManualSite.createBackingData()
    self.address = address
    self.region = region
    self.name = "last"
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(name: "address", keypath: \ManualSite.address),
      Schema.PropertyMetadata(name: "region", keypath: \ManualSite.region),
      Schema.PropertyMetadata(name: "name", keypath: \ManualSite.name, defaultValue: ""),
    ]
  }

  var address: Address {
    get { getValue(forKey: \.address) }
    set { setValue(forKey: \.address, to: newValue) }
  }
  var region: Region? {
    get { getValue(forKey: \.region) }
    set { setValue(forKey: \.region, to: newValue) }
  }
  var name: String {
    get { getValue(forKey: \.name) }
    set { setValue(forKey: \.name, to: newValue) }
  }
}
