import Foundation

/// A decoder of nothing: every number is zero, every text empty, every collection without elements.
struct EmptyDecoder: Decoder {
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(EmptyKeyedContainer<Key>())
  }

  func unkeyedContainer() -> any UnkeyedDecodingContainer { EmptyUnkeyedContainer() }
  func singleValueContainer() -> any SingleValueDecodingContainer { EmptyValueContainer() }
}

/// How deep empty values are made: a type that contains itself would never end.
private let depthLimit = 16
private let depth = TaskLocal<Int>(wrappedValue: 0)

private func emptyValue<T: Decodable>(_ type: T.Type) throws -> T {
  if let storable = type as? any StorableValue.Type, let value = storable._$placeholder as? T { return value }
  guard depth.get() < depthLimit else {
    throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "\(type) contains itself"))
  }
  return try depth.withValue(depth.get() + 1) { try T(from: EmptyDecoder()) }
}

private struct EmptyKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
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

  func contains(_ key: Key) -> Bool { false }
  func decodeNil(forKey key: Key) -> Bool { true }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try emptyValue(type) }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(EmptyKeyedContainer<Nested>())
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer { EmptyUnkeyedContainer() }
  func superDecoder() -> any Decoder { EmptyDecoder() }
  func superDecoder(forKey key: Key) -> any Decoder { EmptyDecoder() }
}

private struct EmptyUnkeyedContainer: UnkeyedDecodingContainer {
  var codingPath: [any CodingKey] { [] }
  var count: Int? { 0 }
  var isAtEnd: Bool { true }
  var currentIndex: Int { 0 }

  func decodeNil() -> Bool { true }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try emptyValue(type) }

  func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) -> KeyedDecodingContainer<Nested> {
    KeyedDecodingContainer(EmptyKeyedContainer<Nested>())
  }

  func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { EmptyUnkeyedContainer() }
  func superDecoder() -> any Decoder { EmptyDecoder() }
}

private struct EmptyValueContainer: SingleValueDecodingContainer {
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { true }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try emptyValue(type) }
}
