/// The cases of enums, whether they list them or not.
///
/// Unsafe code, because only the metadata of an enum without `CaseIterable` says how many cases it has. It holds because
/// the metadata of nominal types is laid out as Swift's binary interface says, which Swift's own reflection reads in the same
/// way, and because an enum none of whose cases has a payload is in memory the number of its case. Whatever looks different
/// in the least has no cases here.
package enum EnumCases {
  /// All values of a type that is an enum without payloads, or lists its values; nil for any other type.
  package static func all<Value>(of type: Value.Type) -> [Value]? {
    if let listed = type as? any CaseIterable.Type { return listed.listedValues() as? [Value] }
    guard let count = count(of: type), size(for: count) == MemoryLayout<Value>.size else { return nil }
    return (0..<count).map { value(of: $0) }
  }

  /// Whether ``all(of:)`` knows the values of a type.
  static func isKnown(for type: any Any.Type) -> Bool { type is any CaseIterable.Type || count(of: type) != nil }

  private static func value<Value>(of index: UInt32) -> Value {
    withUnsafeBytes(of: index.littleEndian) { unsafe $0.load(as: Value.self) }
  }

  /// How many bytes a number of cases needs.
  private static func size(for count: UInt32) -> Int {
    switch count {
    case 1: 0
    case ...0x100: 1
    case ...0x1_0000: 2
    default: 4
    }
  }

  /// How many cases an enum of Swift's has that has no payloads.
  private static func count(of type: any Any.Type) -> UInt32? {
    let metadata = unsafe unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    // The kinds of metadata and of descriptors that enums have.
    let (enumMetadata, enumDescriptor): (UInt, UInt32) = (0x201, 18)
    guard unsafe metadata[0] == enumMetadata, let descriptor = unsafe UnsafeRawPointer(bitPattern: metadata[1]) else {
      return nil
    }
    let flags = unsafe descriptor.load(as: UInt32.self)
    // Enums of C are in memory what they were given there.
    let isImported = flags >> 16 & 1 << 2 != 0
    guard flags & 0x1F == enumDescriptor, !isImported else { return nil }
    let payloadCount = unsafe descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
    let emptyCount = unsafe descriptor.load(fromByteOffset: 24, as: UInt32.self)
    return payloadCount == 0 && emptyCount > 0 ? emptyCount : nil
  }
}

extension CaseIterable {
  /// The values, as an array of which only the type is not known.
  fileprivate static func listedValues() -> Any { Array(allCases) }
}
