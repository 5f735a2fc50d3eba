import ConformanceSupport
import SwiftData

/// A class whose `init(from:)` throws unless the text has more than five characters. So no placeholder can be decoded
/// from empty input.
final class Ticket: Codable {
  let code: String
  init(_ code: String) { self.code = code }

  init(from decoder: any Decoder) throws {
    code = try decoder.singleValueContainer().decode(String.self)
    guard code.count > 5 else {
      throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no ticket"))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(code)
  }
}

/// A class that is not Codable. `InkTransformer` converts it to data and back.
final class InkStamp {
  let ink: Int
  init(_ ink: Int) { self.ink = ink }
}

/// A transformer that traps on empty data, as many transformers do.
final class InkTransformer: ValueTransformer, @unchecked Sendable {
  override func transformedValue(_ value: Any?) -> Any? { (value as? InkStamp).map { Data([UInt8($0.ink)]) } }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data else { return nil }
    return InkStamp(Int(data[data.startIndex]))
  }
}

struct TheatreSeat: Codable {
  var row: String
  var holder: Person

  struct Person: Codable {
    var name: String
    var ticket: Ticket
  }
}

@Model
final class Unplaceable {
  var ticket: Ticket
  @Attribute(.transformable(by: InkTransformer.self)) var stamp: InkStamp
  var seat: TheatreSeat
  var sure: Int

  init(ticket: Ticket, stamp: InkStamp, seat: TheatreSeat) {
    self.ticket = ticket
    self.stamp = stamp
    self.seat = seat
    sure = 1
  }
}

@Model
class Carriage {
  var name = ""
  init() {}
}

@Model
final class Omnibus: Carriage {
  var ticket: Ticket
  init(ticket: Ticket) {
    self.ticket = ticket
    super.init()
  }
}

@Model
final class Placeable {
  var ticket: Ticket = Ticket("default")
  var spare: Ticket?
  @Attribute(.transformable(by: InkTransformer.self)) var stamp: InkStamp = InkStamp(7)
  @Attribute(.transformable(by: InkTransformer.self)) var second: InkStamp?
  var seat: TheatreSeat = TheatreSeat(row: "z", holder: TheatreSeat.Person(name: "n", ticket: Ticket("seated")))
  var tickets: [Ticket]
  var byName: [String: Ticket]

  init(tickets: [Ticket], byName: [String: Ticket]) {
    self.tickets = tickets
    self.byName = byName
  }
}

/// A struct that is not Codable. Its transformer creates a value only from non-empty data.
struct Legs: Equatable {
  struct Leg: Equatable {
    var name: String
    fileprivate(set) var length: Double?
  }
  var stops: [String]
  var first: Leg
}

final class LegsTransformer: ValueTransformer, @unchecked Sendable {
  override func transformedValue(_ value: Any?) -> Any? {
    (value as? Legs).map { Data($0.stops.joined(separator: " ").utf8) }
  }

  override func reverseTransformedValue(_ value: Any?) -> Any? {
    guard let data = value as? Data else { return nil }
    let stops = String(decoding: data, as: UTF8.self).split(separator: " ").map(String.init)
    return Legs(stops: stops, first: Legs.Leg(name: stops[0], length: nil))
  }
}

/// A model with properties of common types, none of which has a default.
@Model
final class Everyday {
  enum Kind: String, Codable { case large, small }
  enum Step: Codable {
    case text(String)
    case pause(TimeZone)
  }
  /// The first case contains the enum itself.
  indirect enum Tree: Codable {
    case fork(Tree, Tree)
    case leaf(String)
  }
  struct Item: Codable {
    var name: String
    var kind: Kind
    var zone: TimeZone
  }
  final class Box: Codable {
    var kind: Kind
    var items: [Item]
    var next: Box?
    init() {
      kind = .small
      items = []
    }
  }

  var item: Item
  var box: Box
  var step: Step
  var tree: Tree
  var zone: TimeZone
  var calendar: Calendar
  var locale: Locale
  var components: DateComponents
  var interval: DateInterval
  var address: URLComponents
  var indexes: IndexSet
  var characters: CharacterSet
  var length: Measurement<UnitLength>
  var named: PersonNameComponents
  var range: ClosedRange<String>
  var half: Range<Int>
  var pause: Duration
  var language: Locale.Language
  @Attribute(.transformable(by: LegsTransformer.self)) var legs: Legs
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var list: NSArray
  @Attribute(.transformable(by: "NSSecureUnarchiveFromData")) var word: NSString

  init() {
    item = Item(name: "i", kind: .small, zone: .gmt)
    box = Box()
    step = .pause(.gmt)
    tree = .leaf("l")
    zone = .current
    calendar = .current
    locale = .current
    components = DateComponents(year: 1)
    interval = DateInterval()
    address = URLComponents()
    indexes = [1]
    characters = .letters
    length = Measurement(value: 1, unit: .meters)
    named = PersonNameComponents()
    range = "a"..."b"
    half = 1..<2
    pause = .seconds(1)
    language = Locale.Language(identifier: "en")
    legs = Legs(stops: ["l"], first: Legs.Leg(name: "f", length: 1))
    list = [1]
    word = "w"
  }
}

/// The logs have one entry for each time that one of the following types was decoded.
private let fickleDecodings = Log<Void>()
private let grudgingDecodings = Log<Void>()

private let waveringDecodings = Log<Void>()

private func refuseAgain(_ decodings: Log<Void>, after count: Int = 1) throws {
  decodings.add(())
  guard decodings.entries.count <= count else {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "again"))
  }
}

/// A struct that can be decoded once in the process. Every further decoding throws.
struct Fickle: Codable {
  static var decodings: Int { fickleDecodings.entries.count }
  var name = "fickle"
  var notes: [String]? = ["none"]
  init() {}
  init(from decoder: any Decoder) throws { try refuseAgain(fickleDecodings) }
}

@Model
final class Moody {
  var fickle: Fickle
  init() { fickle = Fickle() }
}

/// A class that can be decoded once in the process. Every further decoding throws.
final class Grudging: Codable {
  init() {}
  init(from decoder: any Decoder) throws { try refuseAgain(grudgingDecodings) }
}

@Model
final class Resentful {
  var grudging: Grudging
  init() { grudging = Grudging() }
}

/// A class that can be decoded twice in the process, as often as opening a container requires. Every further decoding
/// throws.
final class Wavering: Codable {
  init() {}
  init(from decoder: any Decoder) throws { try refuseAgain(waveringDecodings, after: 2) }
}

@Model
final class Undecided {
  var wavering: Wavering
  init() { wavering = Wavering() }
}

/// A class whose objects can be changed after they were created.
final class Notebook: Codable {
  var pages: [String]
  init(_ pages: [String] = []) { self.pages = pages }
}

struct Desk: Codable {
  var notebook: Notebook
}

@Model
final class Writer {
  var notebook: Notebook
  var desk: Desk
  var spare: Notebook = Notebook(["spare"])
  var shelf: [Notebook] = [Notebook(["shelf"])]

  init() {
    notebook = Notebook()
    desk = Desk(notebook: Notebook())
  }

  var notebooks: [Notebook] { [notebook, desk.notebook, spare] + shelf }
}

/// A model with hand-written conformance. Without the macro, the compiler does not convert a default to the property's
/// type: the default of the `Double` property `price` is the `Int` 5.
final class Whittled: PersistentModel {
  var persistentBackingData: any BackingData<Whittled>

  init(backingData: any BackingData<Whittled>) { persistentBackingData = backingData }

  init(price: Double) {
    persistentBackingData = Whittled.createBackingData()
    self.price = price
  }

  var price: Double {
    get { getValue(forKey: \.price) }
    set { setValue(forKey: \.price, to: newValue) }
  }

  var ticket: Ticket {
    get { getValue(forKey: \.ticket) }
    set { setValue(forKey: \.ticket, to: newValue) }
  }

  var parts: [Moody] {
    get { getValue(forKey: \.parts) }
    set { setValue(forKey: \.parts, to: newValue) }
  }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      Schema.PropertyMetadata(name: "price", keypath: \Whittled.price, defaultValue: 5, metadata: nil),
      Schema.PropertyMetadata(
        name: "ticket", keypath: \Whittled.ticket, defaultValue: Ticket("default"), metadata: nil),
      Schema.PropertyMetadata(name: "parts", keypath: \Whittled.parts, defaultValue: nil, metadata: nil),
    ]
  }
}
