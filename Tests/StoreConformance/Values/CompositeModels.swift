import SwiftData

struct Coordinates: Codable, Equatable {
  var latitude: Double
  var longitude: Double
}

/// A struct whose members are all optional. If all of them are nil, no member's column distinguishes the struct from
/// nil.
struct Region: Codable, Equatable {
  var code: String?
  var zip: Int?
}

enum Climate: String, Codable, CaseIterable {
  case dry, wet
}

enum Access: Codable, Equatable {
  case free
  case fee(Int, note: String?)
  indirect case any(Access, Access)
}

/// A struct with one member of each kind of stored value.
struct Address: Codable, Equatable {
  var city: String
  var point: Coordinates
  var region: Region
  var hint: Coordinates?
  var spare: Region?
  var climate: Climate
  var lastClimate: Climate?
  var tags: [String]
  var notes: [String: Int]?
  var access: Access
  var lastAccess: Access?
  var opened: Date
  var closed: Date?
  var id: UUID
  var bytes: Data?
  var price: Decimal
  var isOpen: Bool
  var floor: Int8
  var large: UInt64
  var ratio: Float?
  var link: URL?
  var twice: Int??

  init(_ city: String, latitude: Double = 0, longitude: Double = 0, zip: Int? = nil) {
    self.city = city
    point = Coordinates(latitude: latitude, longitude: longitude)
    region = Region(code: nil, zip: zip)
    climate = .dry
    tags = []
    access = .free
    opened = Date(timeIntervalSinceReferenceDate: 0)
    id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    price = 0
    isOpen = false
    floor = 0
    large = 0
    twice = nil
  }

  /// A computed property, for which no column exists.
  var label: String { "\(city)!" }
}

extension Address {
  /// An address in which every member has an extreme or unusual value.
  static var extreme: Address {
    var address = Address("a\0b e\u{301}", latitude: -0.0, longitude: .leastNonzeroMagnitude, zip: .min)
    address.region.code = ""
    address.hint = Coordinates(latitude: .infinity, longitude: -.infinity)
    address.spare = Region(code: nil, zip: nil)
    address.climate = .wet
    address.lastClimate = .dry
    address.tags = ["", "\0", "🏔"]
    address.notes = ["": .max]
    address.access = .any(.fee(.min, note: nil), .any(.free, .fee(1, note: "")))
    address.lastAccess = .free
    address.opened = Date(timeIntervalSinceReferenceDate: 0.1)
    address.closed = .distantPast
    address.bytes = Data()
    address.price = Decimal(string: "0.1")!
    address.isOpen = true
    address.floor = .min
    address.large = .max
    address.ratio = .leastNonzeroMagnitude
    address.link = URL(string: "https://example.org/a%20b?c#d")
    address.twice = .some(.some(7))
    return address
  }
}

@Model
final class Site {
  #Index<Site>([\.address.city], [\.former?.point.latitude, \.position])

  var position: Int
  var address: Address = Address("")
  var former: Address?
  var region: Region = Region()
  var formerRegion: Region?
  var access: Access = Access.free
  var formerAccess: Access?

  init(position: Int) { self.position = position }
}

extension Site: Positioned {}

extension Site {
  convenience init(_ position: Int, _ address: Address, former: Address? = nil) {
    self.init(position: position)
    self.address = address
    self.former = former
  }
}
