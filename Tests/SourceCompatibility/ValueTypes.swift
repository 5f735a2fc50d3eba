import SwiftData

enum Size: Int, Codable {
  case small = 1
  case large = 2
}

enum Letter: String, Codable {
  case a
  case b = "second"
}

enum Plain: Codable, Equatable { case one, two }

enum Shape: Codable, Equatable {
  case circle(radius: Double)
  case square(Int)
  case none
}

struct Place: Codable, Hashable {
  var city: String
  var zip: Int?
  var location: Location?

  struct Location: Codable, Hashable {
    var latitude: Double
    var longitude: Double
  }
}

struct Box<Value: Codable & Hashable>: Codable, Hashable {
  var value: Value
}

struct Options: OptionSet, Codable, Hashable {
  let rawValue: Int
  static let first = Options(rawValue: 1)
  static let second = Options(rawValue: 2)
}

struct Tag: RawRepresentable, Codable, Hashable {
  var rawValue: String
}

struct RoomID: Codable, Hashable {
  var text: String

  init(text: String) { self.text = text }

  init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

@Model final class Scalars {
  var bool: Bool
  var int: Int
  var int8: Int8
  var int16: Int16
  var int32: Int32
  var int64: Int64
  var uint: UInt
  var uint8: UInt8
  var uint16: UInt16
  var uint32: UInt32
  var uint64: UInt64
  var float: Float
  var double: Double
  var decimal: Decimal
  var string: String
  var date: Date
  var uuid: UUID
  var url: URL
  var data: Data
  var interval: TimeInterval
  var duration: Duration

  init(sign: Int8) {
    bool = sign < 0
    int = sign < 0 ? .min : .max
    int8 = sign < 0 ? .min : .max
    int16 = sign < 0 ? .min : .max
    int32 = sign < 0 ? .min : .max
    int64 = sign < 0 ? .min : .max
    uint = sign < 0 ? .min : .max
    uint8 = sign < 0 ? .min : .max
    uint16 = sign < 0 ? .min : .max
    uint32 = sign < 0 ? .min : .max
    uint64 = sign < 0 ? .min : .max
    float = Float(sign) * 0.1
    double = Double(sign) * 0.1
    decimal = Decimal(string: sign < 0 ? "-12345678901234567890.123456789" : "0.1")!
    string = sign < 0 ? "" : "naïve \u{1F980} 'quoted' \"\\\n\0end"
    date = Date(timeIntervalSinceReferenceDate: Double(sign) * 123_456.789)
    uuid = UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")!
    url = URL(string: "https://example.org/a%20b?q=1#f")!
    data = sign < 0 ? Data() : Data([0, 1, 255])
    interval = Double(sign) * 1.5
    duration = .milliseconds(Int(sign) * 1500)
  }
}

@Model final class OptionalScalars {
  var bool: Bool?
  var int: Int?
  var int32: Int32?
  var int64: Int64?
  var uint32: UInt32?
  var uint64: UInt64?
  var float: Float?
  var double: Double?
  var decimal: Decimal?
  var string: String?
  var date: Date?
  var uuid: UUID?
  var url: URL?
  var data: Data?
  var interval: TimeInterval?
  var size: Size?
  var letter: Letter?
  var plain: Plain?
  var place: Place?
  var strings: [String]?

  init() {}
}

@Model final class Composites {
  var size: Size
  var letter: Letter
  var plain: Plain
  var shape: Shape
  var place: Place
  var places: [Place]
  var strings: [String]
  var int64s: [Int64]
  var urls: [URL]
  var dates: [Date]
  var letters: [Letter]
  var set: Set<String>
  var dictionary: [String: String]
  var sparse: [String: String?]
  var nested: [String: [Int]]
  var byLetter: [Letter: Int]
  var box: Box<Int>
  var boxes: [Box<String>]
  var options: Options
  var tag: Tag
  var room: RoomID
  var range: ClosedRange<Int>
  var zone: Foundation.TimeZone
  var locale: Locale
  @Attribute(.externalStorage) var blob: Data

  init() {
    size = .large
    letter = .b
    plain = .two
    shape = .circle(radius: 1.5)
    place = Place(city: "a", zip: 1, location: .init(latitude: 1.25, longitude: -2.5))
    places = [Place(city: "b"), Place(city: "c", zip: 2)]
    strings = ["x", "", "y"]
    int64s = [.min, 0, .max]
    urls = [URL(string: "file:///tmp/a")!]
    dates = [Date(timeIntervalSinceReferenceDate: 0.125)]
    letters = [.a, .b]
    set = ["p", "q"]
    dictionary = ["k": "v"]
    sparse = ["k": nil, "l": "w"]
    nested = ["n": [1, 2]]
    byLetter = [.a: 1]
    box = Box(value: 3)
    boxes = [Box(value: "z")]
    options = [.first, .second]
    tag = Tag(rawValue: "tag")
    room = RoomID(text: "room")
    range = 1...5
    zone = Foundation.TimeZone(secondsFromGMT: 3600)!
    locale = Locale(identifier: "de_CH")
    blob = Data(repeating: 7, count: 200_000)
  }
}
