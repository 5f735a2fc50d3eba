import Foundation
import PersistenceCore

enum Stage: String, Codable, CaseIterable { case open, done }

enum Level: Int, Codable, Comparable {
  case high, low

  static func < (lhs: Level, rhs: Level) -> Bool { lhs.rawValue > rhs.rawValue }
}

struct Spot: Codable, Hashable {
  var street = ""
  var city = ""
}

/// A Codable value that an application's predicates could capture: search criteria.
struct Filter: Codable, Hashable {
  var name: String
  var names: [String]
}

/// An object with a property of each kind that predicates use.
final class Item {
  var id = UUID()
  var name = ""
  var note: String?
  var count = 0
  var rank: Int?
  var tiny: Int8 = 0
  var short: Int16 = 0
  var medium: Int32 = 0
  var long: Int64 = 0
  var byte: UInt8 = 0
  var word: UInt16 = 0
  var double: UInt32 = 0
  var large: UInt64 = 0
  var natural: UInt = 0
  var score = 0.0
  var ratio: Float = 0
  var price: Decimal = 0
  var isDone = false
  var date = Date.distantPast
  var due: Date?
  var link: URL?
  var bytes = Data()
  var stage = Stage.open
  var level = Level.low
  var lastStage: Stage?
  var spot = Spot()
  var tags: [String] = []
  var parent: Item?
  var secret: String?

  var title: String { name.uppercased() }

  init() {}
}

extension Item {
  static let layout = EntityLayout(
    name: "Item", modelType: Item.self, properties: properties, uniquenessConstraints: [], indices: [])

  private static let properties: [PropertyLayout] = [
    .attribute("id", 0, \Item.id, .blob), .attribute("name", 1, \Item.name, .text),
    .attribute("note", 2, \Item.note, .text), .attribute("count", 3, \Item.count, .integer),
    .attribute("rank", 4, \Item.rank, .integer), .attribute("tiny", 5, \Item.tiny, .integer),
    .attribute("short", 6, \Item.short, .integer), .attribute("medium", 7, \Item.medium, .integer),
    .attribute("long", 8, \Item.long, .integer), .attribute("byte", 9, \Item.byte, .integer),
    .attribute("word", 10, \Item.word, .integer), .attribute("double", 11, \Item.double, .integer),
    .attribute("large", 12, \Item.large, .integer), .attribute("natural", 13, \Item.natural, .integer),
    .attribute("score", 14, \Item.score, .real), .attribute("ratio", 15, \Item.ratio, .real),
    .attribute("price", 16, \Item.price, .decimal), .attribute("isDone", 17, \Item.isDone, .integer),
    .attribute("date", 18, \Item.date, .real), .attribute("due", 19, \Item.due, .real),
    .attribute("link", 20, \Item.link, .url), .attribute("bytes", 21, \Item.bytes, .blob),
    .attribute("stage", 22, \Item.stage, .text), .attribute("level", 23, \Item.level, .integer),
    .attribute("lastStage", 24, \Item.lastStage, .text), .attribute("spot", 25, \Item.spot, .json),
    .attribute("tags", 26, \Item.tags, .json),
    PropertyLayout("parent", 27, \Item.parent, .toOne(destination: "Item"), .reference),
    PropertyLayout("secret", 28, \Item.secret, .transformable, .blob),
  ]
}

extension PropertyLayout {
  fileprivate init(_ name: String, _ position: Int, _ keyPath: AnyKeyPath, _ kind: PropertyKind, _ format: ColumnFormat)
  {
    self.init(
      name: name, position: position, keyPath: keyPath, valueType: type(of: keyPath).valueType, isOptional: false,
      isUnique: false, defaultValue: nil, kind: kind,
      columns: [ColumnLayout(name: name, format: format, isOptional: false)])
  }

  fileprivate static func attribute(
    _ name: String, _ position: Int, _ keyPath: AnyKeyPath, _ format: ColumnFormat
  ) -> PropertyLayout {
    PropertyLayout(name, position, keyPath, .attribute, format)
  }
}

/// A class without a declared property `id`.
final class Bookmark {
  static let layout = EntityLayout(
    name: "Bookmark", modelType: Bookmark.self, properties: [], uniquenessConstraints: [], indices: [])

  init() {}
}

// MARK: Translating

func translate(_ predicate: Predicate<Item>) throws -> QueryTree {
  try PredicateTranslator.translate(predicate, entity: Item.layout)
}

/// The reason why the predicate cannot be translated to a query; nil if it can.
func obstacle(to predicate: Predicate<Item>) -> String? {
  do {
    _ = try PredicateTranslator.translate(predicate, entity: Item.layout)
    return nil
  } catch {
    return error.description
  }
}

extension QueryNode {
  /// The query node that reads the named property. An unknown name yields the key's node, which no test expects, so
  /// that the test fails.
  static func property(_ name: String) -> QueryNode {
    Item.layout.property(named: name).map { .property($0.position) } ?? .key
  }
}
