import ConformanceSupport
import SwiftData

/// A number type that the program declares. Its column contains the raw value.
struct Serial: RawRepresentable, Comparable, Codable, Hashable {
  var rawValue: UInt64
  static func < (lhs: Serial, rhs: Serial) -> Bool { lhs.rawValue < rhs.rawValue }
}

struct Extent: Codable, Hashable {
  var width: Decimal
  var area: UInt64?
}

/// A model with numbers that SQLite cannot store as numbers: decimals are stored as text, and large integers as bytes.
@Model final class Parcel {
  #Index<Parcel>(
    .rtree([\.price, \.size]), .rtree([\.weight]), .rtree([\.serial]), .rtree([\.extent.width, \.extent.area]))
  var price: Decimal
  var size: UInt64
  var weight: UInt?
  var serial: Serial
  var extent: Extent
  var note = ""

  init(_ price: Decimal, _ size: UInt64, weight: UInt? = nil, serial: UInt64 = 0) {
    self.price = price
    self.size = size
    self.weight = weight
    self.serial = Serial(rawValue: serial)
    extent = Extent(width: price, area: size)
  }

  static let tree = "_osd_rtree_Parcel_price_size"

  static let sizes: [UInt64] = [
    0, 1, 1 << 24 + 1, 1 << 53 + 1, UInt64(Int64.max) - 1, UInt64(Int64.max), UInt64(Int64.max) + 1, 1 << 63 + 1 << 39,
    1 << 63 + 1 << 40, 1 << 63 + 1 << 40 + 1, 0xABCD_EF01_2345_6789, .max - 1 << 41, .max - 1, .max,
  ]

  static let prices: [Decimal] = [
    0, 1, -1, Decimal(string: "0.1") ?? 0, Decimal(string: "59.9139") ?? 0,
    Decimal(string: "59.91390000000000000001") ?? 0,
    Decimal(string: "16777217.000000000000000000001") ?? 0, Decimal(string: "16777217") ?? 0, Decimal(UInt64.max),
    Decimal(string: "1e38") ?? 0, Decimal(string: "-1e39") ?? 0, Decimal(string: "3.4028235e38") ?? 0,
    .leastNonzeroMagnitude, -.leastNonzeroMagnitude, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .nan,
    Decimal(string: "12345678901234567890123456789012345678") ?? 0,
    Decimal(string: "12345678901234567890123456789012345677") ?? 0,
  ]
}

extension RawDatabase {
  /// The inconsistencies of the R-tree of prices and sizes; empty if the R-tree contains the coordinates of every row.
  func parcelFaults() throws -> [String] {
    let check = try column("SELECT rtreecheck('\(Parcel.tree)')").filter { $0 != "ok" }
    let ends = ["price_min", "price_max", "size_min", "size_max"].map { "printf('%!.20g', \($0))" }
    let places = try rows(
      "SELECT _osd_key, \(ends.joined(separator: ", ")) FROM \"\(Parcel.tree)\" ORDER BY _osd_key")
    let parcels = try rows(
      "SELECT _osd_key, price, typeof(size), CASE typeof(size) WHEN 'blob' THEN hex(size) ELSE size END FROM Parcel "
        + "ORDER BY _osd_key")
    guard places.map({ $0[0] }) == parcels.map({ $0[0] }) else {
      return ["other keys: \(places) for \(parcels)"] + check
    }
    let strays = zip(places, parcels).filter { place, parcel in
      let ends = place.dropFirst().map { Double($0 ?? "") ?? .nan }
      let price = parcel[1] == "NaN" ? -1e38 : max(-1e38, min(1e38, Double(parcel[1] ?? "") ?? .nan))
      let size = UInt64(parcel[3] ?? "", radix: parcel[2] == "blob" ? 16 : 10).map { Double($0) } ?? .nan
      return !(ends[0] <= price + 1e-37 && price <= ends[1] + 1e-37 && ends[2] <= size && size <= ends[3])
    }
    return check + strays.map { "\($0.0) for \($0.1)" }
  }
}
