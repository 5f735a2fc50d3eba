import Foundation

/// A decoder of nothing, or of the least there is.
struct EmptyDecoder: Decoder {
  enum Filling {
    /// Every number is zero, every text empty, every collection without elements.
    case nothing
    /// Every number is one, every text has a character, every collection an element: for types that refuse nothing.
    case least
  }

  var filling = Filling.nothing
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(EmptyKeyedContainer<Key>(filling: filling))
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { EmptyUnkeyedContainer(filling: filling) }
  func singleValueContainer() -> any SingleValueDecodingContainer { EmptyValueContainer(filling: filling) }
}

/// How deep empty values are made: a type that contains itself would never end.
private let depthLimit = 16
private let depth = TaskLocal<Int>(wrappedValue: 0)

private func emptyValue<T: Decodable>(_ type: T.Type, _ filling: EmptyDecoder.Filling) throws -> T {
  if filling == .least, let value = leastValue(type) { return value }
  if let storable = type as? any StorableValue.Type, let value = storable._$placeholder as? T { return value }
  guard depth.get() < depthLimit else {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(type) contains itself"))
  }
  return try depth.withValue(depth.get() + 1) { try T(from: EmptyDecoder(filling: filling)) }
}

private func leastValue<T>(_ type: T.Type) -> T? {
  if let integer = type as? any FixedWidthInteger.Type { return integer.init(1 as UInt8) as? T }
  if let number = type as? any BinaryFloatingPoint.Type { return number.init(1) as? T }
  return (true as? T) ?? ("1" as? T) ?? (Data([1]) as? T)
}

private struct EmptyKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let filling: EmptyDecoder.Filling
  var codingPath: [any CodingKey] { [] }

  /// An enum with payloads is decoded by its only key: the first case is as empty as any. Keys that are an enum have
  /// their first case where all bytes are zero.
  var allKeys: [Key] {
    guard _isPOD(Key.self), MemoryLayout<Key>.size <= 2 else { return [] }
    return withUnsafeTemporaryAllocation(of: Key.self, capacity: 1) { buffer in
      UnsafeMutableRawBufferPointer(buffer).initializeMemory(as: UInt8.self, repeating: 0)
      return [buffer[0]]
    }
  }

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
