import Foundation
import PersistenceSupport

/// Creates a minimal value of a Decodable type: the type decodes itself from a decoder without input.
struct EmptyDecoder: Decoder {
  enum Filling {
    /// Numbers are zero, strings and collections empty.
    case nothing
    /// Numbers are one, strings have one character, collections one element: for types that reject empty input.
    case least
  }

  let filling: Filling
  private let choice = KeyChoice()

  init(filling: Filling = .nothing) { self.filling = filling }

  /// Decodes a value. For an enum with payloads, tries the enum's cases in order.
  func decode<T: Decodable>(_ type: T.Type) throws -> T {
    try entering(type) {
      while true {
        do {
          return try T(from: self)
        } catch {
          guard choice.advance() else { throw error }
        }
      }
    }
  }

  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(EmptyKeyedContainer<Key>(filling: filling, choice: choice))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { EmptyUnkeyedContainer(filling: filling) }
  func singleValueContainer() -> any SingleValueDecodingContainer { EmptyValueContainer(filling: filling) }
}

/// Selects the only key that a keyed container reports: one of the cases of the key type.
///
/// An enum with payloads decodes the case of this key. The first case suffices unless its payload contains the enum.
private final class KeyChoice {
  private var index = 0
  private var count = 0

  func chosen<Key>(_ type: Key.Type) -> [Key] {
    guard let keys = EnumCases.all(of: type) else { return [] }
    count = keys.count
    return index < keys.count ? [keys[index]] : []
  }

  /// Advances to the next case; returns false after the last.
  func advance() -> Bool {
    index += 1
    return index < count
  }
}

/// The types that are being decoded on this task, to detect a type that contains itself.
private let open = TaskLocal<[ObjectIdentifier]>(wrappedValue: [])

private func entering<T, Value>(_ type: T.Type, _ make: () throws -> Value) throws -> Value {
  let known = open.get()
  guard !known.contains(ObjectIdentifier(type)) else {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(type) contains itself"))
  }
  return try open.withValue(known + [ObjectIdentifier(type)]) { try make() }
}

private func emptyValue<T: Decodable>(_ type: T.Type, _ filling: EmptyDecoder.Filling) throws -> T {
  if filling == .least, let value = leastValue(type) { return value }
  if let storable = type as? any StorableValue.Type, let value = storable._$placeholder as? T { return value }
  if let value = EnumCases.all(of: type)?.first ?? Placeholder.foundationValue(type) { return value }
  do {
    return try EmptyDecoder(filling: filling).decode(type)
  } catch {
    guard let value = try entering(type, { Placeholder.undecoded(type) }) else { throw error }
    return value
  }
}

private func leastValue<T>(_ type: T.Type) -> T? {
  if let integer = type as? any FixedWidthInteger.Type { return integer.init(1 as UInt8) as? T }
  if let number = type as? any BinaryFloatingPoint.Type { return number.init(1) as? T }
  return (true as? T) ?? ("1" as? T) ?? (Data([1]) as? T)
}

private struct EmptyKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let filling: EmptyDecoder.Filling
  var choice = KeyChoice()
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { choice.chosen(Key.self) }

  func contains(_ key: Key) -> Bool { filling == .least }
  func decodeNil(forKey key: Key) -> Bool { filling == .nothing }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try emptyValue(type, filling) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(EmptyKeyedContainer<Nested>(filling: filling))
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
    EmptyUnkeyedContainer(filling: filling)
  }

  func superDecoder() -> any Decoder { EmptyDecoder(filling: filling) }
  func superDecoder(forKey key: Key) -> any Decoder { EmptyDecoder(filling: filling) }
}

private struct EmptyUnkeyedContainer: UnkeyedDecodingContainer {
  let filling: EmptyDecoder.Filling
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { [] }
  var count: Int? { filling == .least ? 1 : 0 }
  var isAtEnd: Bool { currentIndex >= count ?? 0 }

  init(filling: EmptyDecoder.Filling) { self.filling = filling }

  func decodeNil() -> Bool { filling == .nothing }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    currentIndex += 1
    return try emptyValue(type, filling)
  }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
    currentIndex += 1
    return KeyedDecodingContainer(EmptyKeyedContainer<Nested>(filling: filling))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
    currentIndex += 1
    return EmptyUnkeyedContainer(filling: filling)
  }

  mutating func superDecoder() -> any Decoder {
    currentIndex += 1
    return EmptyDecoder(filling: filling)
  }
}

private struct EmptyValueContainer: SingleValueDecodingContainer {
  let filling: EmptyDecoder.Filling
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { filling == .nothing }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try emptyValue(type, filling) }
}
