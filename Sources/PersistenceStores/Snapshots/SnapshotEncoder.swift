import PersistenceRuntime
import PersistenceSupport

/// Collects the values that a program's own snapshot encodes, by key and with their types.
///
/// Each key is the name of a property. The encoder stores the property's value as it is, and does not encode its parts.
final class SnapshotEncoder: Encoder {
  fileprivate(set) var values: [String: Any?] = [:]
  let codingPath: [any CodingKey] = []
  let userInfo: [CodingUserInfoKey: Any] = [:]

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedValues<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { OtherValues(codingPath: []) }
  func singleValueContainer() -> any SingleValueEncodingContainer { OtherValues(codingPath: []) }
}

private struct KeyedValues<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: SnapshotEncoder
  let codingPath: [any CodingKey] = []

  mutating func encodeNil(forKey key: Key) throws { encoder.values[key.stringValue] = .some(nil) }

  mutating func encode(_ value: Bool, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: String, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: Double, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: Float, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: Int, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: Int8, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: Int16, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: Int32, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: Int64, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: UInt, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: UInt8, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: UInt16, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: UInt32, forKey key: Key) throws { encoder.values[key.stringValue] = value }
  mutating func encode(_ value: UInt64, forKey key: Key) throws { encoder.values[key.stringValue] = value }

  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    encoder.values[key.stringValue] = DefaultValue.unwrapped(value)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(OtherKeyedValues<Nested>(codingPath: [key]))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    OtherValues(codingPath: [key])
  }

  mutating func superEncoder() -> any Encoder { encoder }
  mutating func superEncoder(forKey key: Key) -> any Encoder { encoder }
}

/// Throws for values that are not encoded under the name of a property.
private struct OtherValues: UnkeyedEncodingContainer, SingleValueEncodingContainer {
  let codingPath: [any CodingKey]
  var count = 0

  init(codingPath: [any CodingKey]) { self.codingPath = codingPath }

  mutating func encodeNil() throws { throw EncodingError.ofSnapshot(nil, at: codingPath) }
  mutating func encode<T: Encodable>(_ value: T) throws { throw EncodingError.ofSnapshot(value, at: codingPath) }

  mutating func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(OtherKeyedValues<Nested>(codingPath: codingPath))
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { self }
  mutating func superEncoder() -> any Encoder { SnapshotEncoder() }
}

private struct OtherKeyedValues<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let codingPath: [any CodingKey]

  mutating func encodeNil(forKey key: Key) throws { throw EncodingError.ofSnapshot(nil, at: codingPath) }
  mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
    throw EncodingError.ofSnapshot(value, at: codingPath)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy keyType: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    KeyedEncodingContainer(OtherKeyedValues<Nested>(codingPath: codingPath))
  }

  mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    OtherValues(codingPath: codingPath)
  }

  mutating func superEncoder() -> any Encoder { SnapshotEncoder() }
  mutating func superEncoder(forKey key: Key) -> any Encoder { SnapshotEncoder() }
}

extension EncodingError {
  /// The error for a value that is not encoded under the name of a property.
  fileprivate static func ofSnapshot(_ value: Any?, at codingPath: [any CodingKey]) -> EncodingError {
    .invalidValue(
      value as Any,
      Context(
        codingPath: codingPath,
        debugDescription: "a snapshot encodes each property under its name, as one value of the property's type"))
  }
}
