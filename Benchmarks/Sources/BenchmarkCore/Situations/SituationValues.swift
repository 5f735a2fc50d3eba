import Foundation

/// The values of a vehicle, from which each contender creates an object of its own class, and which it creates from
/// the objects that it has read.
public struct VehicleValues: Sendable {
  /// The class of a vehicle. Each class is a subclass of the class before it.
  public enum Kind: Int, CaseIterable, Sendable {
    case vehicle
    case motorcar
    case sportsCar
  }

  public let kind: Kind
  public let name: String
  public let wheels: Int
  public let weight: Double
  /// The doors of a motorcar; 0 for other vehicles.
  public let doors: Int
  /// The maker of a motorcar; empty for other vehicles.
  public let maker: String
  /// The top speed of a sports car; 0 for other vehicles.
  public let topSpeed: Double

  public init(
    kind: Kind, name: String, wheels: Int, weight: Double, doors: Int = 0, maker: String = "", topSpeed: Double = 0
  ) {
    (self.kind, self.name, self.wheels, self.weight) = (kind, name, wheels, weight)
    (self.doors, self.maker, self.topSpeed) = (doors, maker, topSpeed)
  }

  init(row: Int) {
    let kinds = Kind.allCases
    kind = kinds[row % kinds.count]
    (name, wheels, weight) = ("vehicle number \(row)", 2 + row % 9, Double(row % 4_001) / 4)
    (doors, maker) = kind == .vehicle ? (0, "") : (2 + row % 4, "maker \(row % 97)")
    topSpeed = kind == .sportsCar ? Double(200 + row % 150) : 0
  }

  /// A number that is equal for two vehicles only if all their values are equal.
  public var checksum: Int {
    Checksum.ofRow([name, maker], [Double(kind.rawValue), Double(wheels), weight, Double(doors), topSpeed])
  }
}

/// The ten members of a struct, which the library stores in ten columns. Both contenders use this struct.
public struct ParcelDetails: Codable, Sendable {
  public var width: Double
  public var height: Double
  public var depth: Double
  public var weight: Double
  public var shelf: Int
  public var place: Int
  public var pieces: Int
  public var isFragile: Bool
  public var label: String
  public var city: String

  public init(
    width: Double, height: Double, depth: Double, weight: Double, shelf: Int, place: Int, pieces: Int, isFragile: Bool,
    label: String, city: String
  ) {
    (self.width, self.height, self.depth, self.weight) = (width, height, depth, weight)
    (self.shelf, self.place, self.pieces, self.isFragile) = (shelf, place, pieces, isFragile)
    (self.label, self.city) = (label, city)
  }
}

/// The values of a parcel.
public struct ParcelValues: Sendable {
  public let name: String
  public let details: ParcelDetails

  public init(name: String, details: ParcelDetails) {
    (self.name, self.details) = (name, details)
  }

  init(row: Int) {
    name = "parcel number \(row)"
    details = ParcelDetails(
      width: Double(row % 31) / 4, height: Double(row % 37) / 4, depth: Double(row % 41) / 4,
      weight: Double(row % 4_001), shelf: row % 53, place: row % 211, pieces: 1 + row % 7,
      isFragile: row.isMultiple(of: 3), label: "label \(row % 1_009)", city: "city \(row % 307)")
  }

  /// A number that is equal for two parcels only if all their values are equal.
  public var checksum: Int {
    let integers = [details.shelf, details.place, details.pieces, details.isFragile ? 1 : 0].map(Double.init)
    let numbers = [details.width, details.height, details.depth, details.weight] + integers
    return Checksum.ofRow([name, details.label, details.city], numbers)
  }
}

/// The values of a letter, whose text is stored encrypted.
public struct LetterValues: Sendable {
  public let name: String
  public let text: String

  public init(name: String, text: String) {
    (self.name, self.text) = (name, text)
  }

  init(row: Int) {
    (name, text) = (
      "letter number \(row)", "text \(row % 1_009) that only readers with the key can read, number \(row)"
    )
  }

  /// A number that is equal for two letters only if their names and texts are equal.
  public var checksum: Int { Checksum.ofRow([name, text], []) }
}

/// A large value with its name.
public struct ScanValues: Sendable {
  public let name: String
  public let content: Data

  public init(name: String, content: Data) {
    (self.name, self.content) = (name, content)
  }

  init(number: Int, bytes: Int) {
    var random = SeededGenerator(seed: UInt64(number))
    var content = Data(capacity: bytes + 8)
    while content.count < bytes { withUnsafeBytes(of: random.next()) { content.append(contentsOf: $0) } }
    (name, self.content) = ("scan number \(number)", Data(content.prefix(bytes)))
  }

  /// A number that is equal for two values only if their names and bytes are equal.
  public var checksum: Int {
    content.withUnsafeBytes { bytes in
      bytes.reduce(Checksum.ofRow([name], [Double(bytes.count)])) { ($0 ^ Int($1)) &* 0x100_0000_01B3 }
    }
  }
}

extension Checksum {
  /// The checksum of the texts and numbers of one row.
  static func ofRow(_ texts: [String], _ numbers: [Double]) -> Int {
    var bits: UInt64 = 0xCBF2_9CE4_8422_2325
    for text in texts {
      for byte in text.utf8 { bits = (bits ^ UInt64(byte)) &* 0x100_0000_01B3 }
      bits = (bits ^ 0xFF) &* 0x100_0000_01B3
    }
    for number in numbers { bits = (bits ^ number.bitPattern) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: bits)
  }
}
