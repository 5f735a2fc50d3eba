import Foundation
import PersistenceSupport

/// The changes of one save in a store. The keys of the changed rows are grouped by entity and kind of change.
///
/// The groups are stored as JSON, which any program that reads the store can parse. The JSON contains the names of
/// entities and properties instead of their positions in a schema, so that it can be read after the schema has changed.
///
/// ```json
/// [["insert","Trip",[1,1000],1005],["update","Trip",["name","start"],7],["delete","Day",3,4]]
/// ```
///
/// A number is a single key. An array `[1,1000]` is the range of keys from 1 to 1000.
package struct HistoryRecord: Sendable, Hashable {
  package enum Kind: String, Sendable, Hashable {
    case insert, update, delete
  }

  /// The longest range of keys that this library writes. A longer one was written by another program and is invalid.
  package static let mostChanges: Int64 = 1 << 28

  /// Rows of one entity that were changed in the same way.
  package struct Group: Sendable, Hashable {
    package let kind: Kind
    package let entity: String
    /// The names of the changed properties of an update; empty for other kinds.
    package let properties: [String]
    package let keys: [ClosedRange<Int64>]

    package init(_ kind: Kind, _ entity: String, properties: [String] = [], keys: [ClosedRange<Int64>]) {
      self.kind = kind
      self.entity = entity
      self.properties = properties
      self.keys = keys
    }

    /// - Parameter keys: The keys in any order. Repeated keys count once.
    package init(_ kind: Kind, _ entity: String, properties: [String] = [], keys: [Int64]) {
      self.init(kind, entity, properties: properties, keys: Self.ranges(of: keys))
    }

    /// Combines consecutive keys to ranges, in ascending order. Keys that are not yet in order, which is rare, are
    /// sorted.
    static func ranges(of keys: [Int64]) -> [ClosedRange<Int64>] {
      guard var first = keys.first else { return [] }
      if keys.count == 1 { return [first...first] }
      var ranges: [ClosedRange<Int64>] = []
      var last = first
      for key in keys.dropFirst() {
        guard key >= last else { return self.ranges(of: keys.sorted()) }
        // `last + 1` cannot overflow, because `key` is greater than `last`.
        if key > last, key != last + 1 {
          ranges.append(first...last)
          first = key
        }
        last = key
      }
      ranges.append(first...last)
      return ranges
    }
  }

  /// The author of the context that saved.
  package var author: String?
  package var groups: [Group]

  package init(author: String? = nil, groups: [Group]) {
    self.author = author
    self.groups = groups
  }

  /// The groups as JSON text, in UTF-8.
  package var json: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(64)
    bytes.append(UInt8(ascii: "["))
    for (index, group) in groups.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      group.write(to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
    return bytes
  }
}

extension HistoryRecord.Group {
  fileprivate func write(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "["))
    Self.write(kind.rawValue, to: &bytes)
    bytes.append(UInt8(ascii: ","))
    Self.write(entity, to: &bytes)
    if kind == .update {
      bytes.append(contentsOf: ",[".utf8)
      for (index, property) in properties.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.write(property, to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    }
    for range in keys {
      bytes.append(UInt8(ascii: ","))
      if range.count > 1 { bytes.append(UInt8(ascii: "[")) }
      Self.write(range.lowerBound, to: &bytes)
      guard range.count > 1 else { continue }
      bytes.append(UInt8(ascii: ","))
      Self.write(range.upperBound, to: &bytes)
      bytes.append(UInt8(ascii: "]"))
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Writes the digits of a key. This is faster than creating a `String` for each key.
  private static func write(_ key: Int64, to bytes: inout [UInt8]) {
    guard key >= 0 else { return bytes.append(contentsOf: String(key).utf8) }
    let number = UInt64(bitPattern: key)
    var unit: UInt64 = 1
    while number / unit >= 10 { unit *= 10 }
    while unit > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / unit % 10))
      unit /= 10
    }
  }

  /// Writes a name as a JSON string. Names are Swift identifiers, so almost none contains a character to escape.
  private static func write(_ name: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    let isPlain = name.utf8.withContiguousStorageIfAvailable { text in
      for byte in text where isEscaped(byte) { return false }
      bytes.append(contentsOf: text)
      return true
    }
    guard isPlain != true else { return }
    for byte in name.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        bytes.append(contentsOf: "\\u00\(digits.utf8.count < 2 ? "0" : "")\(digits)".utf8)
      default: bytes.append(byte)
      }
    }
  }

  private static func isEscaped(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
  }
}

extension HistoryRecord.Group {
  /// Parses the JSON text of a record. Returns nil if the text is invalid.
  ///
  /// - Parameter wantsAll: If true, a text with an unknown kind of change is invalid. If false, groups with an unknown
  ///   kind are left out.
  package static func groups(in text: String, wantsAll: Bool = false) -> [HistoryRecord.Group]? {
    guard let items = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[Any]] else { return nil }
    var groups: [HistoryRecord.Group] = []
    for item in items {
      guard item.count >= 2, let name = item[0] as? String, let entity = item[1] as? String else { return nil }
      guard let kind = HistoryRecord.Kind(rawValue: name) else {
        if wantsAll { return nil }
        continue
      }
      let properties = kind == .update ? item.dropFirst(2).first as? [String] : []
      guard let properties else { return nil }
      var keys: [ClosedRange<Int64>] = []
      for part in item.dropFirst(kind == .update ? 3 : 2) {
        guard let range = range(part) else { return nil }
        keys.append(range)
      }
      groups.append(HistoryRecord.Group(kind, entity, properties: properties, keys: keys))
    }
    return groups
  }

  private static func range(_ part: Any) -> ClosedRange<Int64>? {
    if let key = part as? NSNumber { return key.int64Value...key.int64Value }
    guard let ends = part as? [NSNumber], ends.count == 2 else { return nil }
    let (first, last) = (ends[0].int64Value, ends[1].int64Value)
    let (distance, isTooLong) = last.subtractingReportingOverflow(first)
    guard !isTooLong, (0..<HistoryRecord.mostChanges).contains(distance) else { return nil }
    return first...last
  }
}

/// A position in the history of stores. Apple's.
///
/// To continue later, store the encoded token of the last transaction that you have processed, and then fetch the
/// transactions after this token. Tokens can be used on any thread.
public protocol HistoryToken: Comparable, Decodable, Encodable, Hashable, Identifiable, Sendable {
  /// The type of the token's contents.
  associatedtype TokenType: Decodable, Encodable, Hashable, Sendable

  /// The contents of the token; nil for the beginning of all history.
  var tokenValue: TokenType? { get }
  /// The identifier of the store whose transaction has the token.
  var storeIdentifier: String { get }
}

extension HistoryToken {
  /// The identifier of the store whose transaction has the token. This default implementation returns an empty text.
  public var storeIdentifier: String { "" }
}

/// A position in the history of default stores. Apple's.
///
/// A token contains a transaction ID for each store, and covers all transactions of the store up to this ID. A store
/// that is missing from the token is at the beginning of its history. The token of the last fetched transaction covers
/// all transactions that the fetch returned, in all stores of the container. A token stays valid after a restart.
///
/// Tokens are ordered by the number of transactions that they cover in all stores together, then by store identifiers.
/// Of two tokens of one store, the token of the later transaction is greater. Of two tokens of several stores, a token
/// that is ahead in one store and not behind in any other is greater. In a predicate of a ``HistoryDescriptor``,
/// `$0.token > token` matches, in each store, the transactions after the ID that the token contains for this store.
///
/// ```swift
/// let data = try JSONEncoder().encode(transaction.token)
/// ```
public struct DefaultHistoryToken: HistoryToken {
  /// The transaction IDs, by the identifiers of stores. Apple's.
  public typealias TokenType = [String: Int64]
  /// The type of a token's identifier. Apple's.
  public typealias ID = Int

  /// For each store identifier, the ID of the last transaction that the token covers. Apple's.
  public var tokenValue: TokenType? {
    switch value {
    case .store(let store, let number): [store: number]
    case .stores(let numbers): numbers
    }
  }
  private let value: Numbers
  /// The identifier of the store whose transaction has the token. For a decoded token or a token with several stores,
  /// it is the first store in the token. Apple's.
  public let storeIdentifier: String

  /// The contents of the token. A token of a single store, the usual case, does not allocate a dictionary.
  private enum Numbers: Sendable {
    case store(String, Int64)
    case stores([String: Int64]?)
  }

  package init(_ value: [String: Int64], of store: String? = nil) {
    self.value = .stores(value)
    storeIdentifier = store ?? value.keys.min() ?? ""
  }

  /// The token of a save to one store.
  package init(_ number: Int64, of store: String) {
    value = .store(store, number)
    storeIdentifier = store
  }

  /// The ID of the last transaction that the token covers in a store; 0 if it covers no transaction of the store.
  package func number(of store: String) -> Int64 { max(0, tokenValue?[store] ?? 0) }

  /// A number that is the same for equal tokens in all processes. Apple's.
  public var id: Int {
    let parts = places.flatMap { Array("\($0.store)=\($0.number);".utf8) }
    return Int(truncatingIfNeeded: StableHash.shortValue(of: parts))
  }

  /// The stores of which the token covers transactions, sorted. Stores with the transaction ID 0 are left out, because
  /// this ID means the beginning of the store's history, as if the token did not contain the store.
  private var places: [(store: String, number: Int64)] {
    (tokenValue ?? [:]).filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The number of transactions that the token covers, in all stores together.
  private var count: Int64 {
    (tokenValue ?? [:]).values.reduce(0) { sum, number in
      let (result, isOver) = sum.addingReportingOverflow(max(0, number))
      return isOver ? .max : result
    }
  }

  /// Whether two tokens have the same position in every store. Apple's.
  ///
  /// - Parameters:
  ///   - lhs: A token.
  ///   - rhs: Another token.
  public static func == (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
    lhs.places.elementsEqual(rhs.places, by: ==)
  }

  /// Whether the first token covers fewer transactions. Apple's.
  ///
  /// - Parameters:
  ///   - lhs: A token.
  ///   - rhs: Another token.
  public static func < (lhs: DefaultHistoryToken, rhs: DefaultHistoryToken) -> Bool {
    let (own, other) = (lhs.count, rhs.count)
    return own == other ? lhs.places.lexicographicallyPrecedes(rhs.places, by: <) : own < other
  }

  public func hash(into hasher: inout Hasher) {
    for place in places {
      hasher.combine(place.store)
      hasher.combine(place.number)
    }
  }
}

extension DefaultHistoryToken: Codable {
  private enum CodingKeys: CodingKey {
    case tokenValue
  }

  /// Decodes a token.
  ///
  /// - Parameter decoder: The decoder.
  /// - Throws: The error of the decoder.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let value = try container.decodeIfPresent([String: Int64].self, forKey: .tokenValue)
    self.value = .stores(value)
    storeIdentifier = value?.keys.min() ?? ""
  }

  /// Encodes the transaction IDs of all stores.
  ///
  /// - Parameter encoder: The encoder.
  /// - Throws: The error of the encoder.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(tokenValue, forKey: .tokenValue)
  }
}
