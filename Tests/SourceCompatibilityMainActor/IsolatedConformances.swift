import SwiftData

// Value types as programs write them in a module that is isolated to the main actor by default. Their conformances to
// Codable and RawRepresentable are isolated to the main actor.

struct Address: Codable, Equatable {
  var street: String
  var floor = 1
  var lines: [String] = []
}

enum Mark: Int, Codable {
  case plain, bold
}

enum Shape: Codable, Equatable {
  case circle(Double)
  case none
}

/// A type whose conformance to RawRepresentable is isolated to the main actor. Its Codable conformance uses its raw
/// values.
struct Tag: RawRepresentable, Codable, Equatable {
  let rawValue: String

  init?(rawValue: String) {
    guard !rawValue.isEmpty else { return nil }
    self.rawValue = rawValue
  }
}

enum Level: RawRepresentable, Codable {
  case low, high

  init?(rawValue: Int) {
    switch rawValue {
    case 10: self = .low
    case 20: self = .high
    default: return nil
    }
  }

  var rawValue: Int {
    switch self {
    case .low: 10
    case .high: 20
    }
  }
}

struct Parcel: Codable, Equatable {
  var shape: Shape
  var mark: Mark
  var tag: Tag
  var lastTag: Tag?
  var address: Address?
}

nonisolated struct Plain: Codable, Equatable {
  var count: Int
}

@Model final class Delivery {
  var name: String
  var address: Address
  var former: Address?
  var stops: [Address] = []
  var byName: [String: Address]?
  var mark: Mark
  var lastMark: Mark?
  var marks: [Mark] = []
  var plain: Plain
  let origin: Address
  let sign: Mark
  @Attribute(.externalStorage) var scans: [Address]?

  init(name: String) {
    self.name = name
    address = Address(street: name)
    mark = .bold
    plain = Plain(count: 1)
    origin = Address(street: "origin", lines: ["a", "b"])
    sign = .bold
  }
}

/// A model that works outside the main actor: its columns contain members and raw values, so that no isolated
/// conformance is called.
@Model final class Delivered {
  var name: String
  var address: Address
  var former: Address?
  var mark: Mark
  var plain: Plain

  init(name: String) {
    self.name = name
    address = Address(street: name)
    mark = .bold
    plain = Plain(count: 1)
  }
}

/// A model whose values are written and read through conformances that are isolated to the main actor.
@Model final class Bound {
  var name: String
  var shape: Shape?
  var shapes: [Shape] = []
  var parcel: Parcel?
  var tag: Tag?
  var level: Level?

  init(name: String) { self.name = name }
}

@Model final class Labelled {
  var name: String
  let shape: Shape
  let level: Level

  init(name: String) {
    self.name = name
    shape = .circle(2)
    level = .high
  }
}

@Model final class Preset {
  var level: Level = Level.high
  init() {}
}

final class UppercaseTransformer: ValueTransformer {
  static let name = NSValueTransformerName("Uppercase")
  private let suffix: String

  required init() {
    suffix = "!"
    super.init()
  }

  override class func transformedValueClass() -> AnyClass { NSData.self }
  override class func allowsReverseTransformation() -> Bool { true }

  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data(($0.uppercased() + suffix).utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(String(decoding: $0, as: UTF8.self).dropLast()).lowercased() }
  }
}

final class CountingUndoManager: UndoManager {
  var count = 0

  override func undo() {
    count += 1
    super.undo()
  }
}

@Model final class Poster {
  @Attribute(.transformable(by: UppercaseTransformer.self)) var title: String
  @Attribute(.transformable(by: UppercaseTransformer.self)) var note: String?

  init(title: String) { self.title = title }
}

enum DeliveryVersion: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [Delivered.self, Bound.self] }
}

enum DeliveryPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [DeliveryVersion.self] }
  static var stages: [MigrationStage] { [] }
}

@ModelActor actor DeliveryStore {
  func names() throws -> [String] { try modelContext.fetch(FetchDescriptor<Delivered>()).map(\.name) }
}
