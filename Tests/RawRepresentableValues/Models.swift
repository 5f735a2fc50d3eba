import Foundation
import OpenSwiftData

enum Mood: Int, Codable, Comparable {
  case good = 1
  case bad = 2

  static func < (left: Mood, right: Mood) -> Bool { left.rawValue < right.rawValue }
}

enum Payload: Codable, Hashable {
  case text(String)
  case none
}

/// A type of the program that is stored as its raw value, unlike the types that are RawRepresentable for other
/// purposes.
struct Tint: RawRepresentable, Codable, Hashable {
  var rawValue: String
}

struct Spot: Codable, Hashable {
  var name: String
  var seen: Date
  var note: String?
  var marks: [String]
  var mood: Mood
  var tint: Tint?
}

@Model @ModelValue(leavingOut: "scan", "secret") final class Entry {
  #Unique<Entry>([\.key])
  #Index<Entry>([\.date], [\.text, \.count])

  let key: UUID
  let made: Date
  let link: URL?
  let words: [String]
  var text: String
  var note: String?
  var date: Date
  var due: Date? = nil
  var identifier: UUID?
  var address: URL
  var home: URL?
  var bytes: Data
  var extra: Data?
  var price: Decimal
  var rebate: Decimal?
  var count: Int
  var limit: Int?
  var ratio: Double
  var share: Double?
  var isOpen = false
  var isKnown: Bool?
  var tags: [String] = []
  var aliases: [String]?
  var days: Set<Date>
  var counts: [String: Int]
  var ranks: [String: Int]?
  var point: CGPoint
  var mood: Mood
  var lastMood: Mood? = Mood.good
  var moods: [Mood]
  var payload: Payload
  var lastPayload: Payload?
  var spot: Spot
  var lastSpot: Spot?
  var spots: [Spot]
  var tint: Tint
  var lastTint: Tint?
  @Attribute(.externalStorage) var scan: Data?
  @Attribute(.externalStorage) var scanOf: [String]?
  @Attribute(.transformable(by: ReversingTransformer.self)) var secret: String?
  var parent: Entry?
  @Relationship(inverse: \Entry.parent) var children: [Entry] = []
  var siblings: [Sibling]? = []

  init(key: UUID, text: String, date: Date) {
    self.key = key
    made = date
    link = URL(string: "https://made.example")
    words = ["one", "two"]
    self.text = text
    self.date = date
    address = URL(filePath: "/tmp")
    bytes = Data([1, 2])
    price = 12.5
    count = 3
    ratio = 0.5
    days = [date]
    counts = ["a": 1]
    point = CGPoint(x: 1, y: 2)
    mood = .bad
    moods = [.bad, .good]
    payload = .text("p")
    let place = Spot(name: text, seen: date, note: nil, marks: ["m"], mood: .bad, tint: Tint(rawValue: "t"))
    spot = place
    spots = [place]
    tint = Tint(rawValue: "blue")
  }
}

/// A model that is Codable. Therefore an array or optional of it has raw values, but must still be stored as a
/// relationship.
@Model final class Sibling: Codable {
  var name: String
  var entry: Entry?

  init(name: String) { self.name = name }

  convenience init(from decoder: any Decoder) throws {
    self.init(name: try decoder.singleValueContainer().decode(String.self))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

@Model class Base {
  var date: Date
  var list: [Date]?

  init(date: Date) { self.date = date }
}

@Model final class Derived: Base {
  var seen: Date?
  var names: [String] = []
  let mark: String

  init(date: Date, mark: String) {
    self.mark = mark
    super.init(date: date)
  }
}

@Model actor Logbook {
  var date: Date = Date(timeIntervalSinceReferenceDate: 0)
  var notes: [String] = []
  var last: Date?
  var mood: Mood?
}

@MainActor @Model final class Board {
  var date: Date
  var notes: [String]?

  init(date: Date) { self.date = date }
}

final class ReversingTransformer: ValueTransformer {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? String).map { Data(String($0.reversed()).utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    (value as? Data).map { String(String(decoding: $0, as: UTF8.self).reversed()) }
  }
}
