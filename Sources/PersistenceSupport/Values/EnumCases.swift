/// Lists the cases of enums, including enums that are not `CaseIterable`.
///
/// Unsafe: for an enum that is not `CaseIterable`, only the type's metadata contains the number of cases. Reading it is
/// sound for two reasons. The ABI fixes the layout of this metadata, which Swift's reflection reads too, and an enum
/// without payloads is represented by the index of its case. If a type deviates from this in any way, no cases are
/// listed.
package enum EnumCases {
  /// All values of a type that is `CaseIterable` or an enum without payloads; nil for any other type.
  package static func all<Value>(of type: Value.Type) -> [Value]? {
    if let listed = type as? any CaseIterable.Type { return listed.listedValues() as? [Value] }
    guard let count = count(of: type), size(for: count) == MemoryLayout<Value>.size else { return nil }
    return (0..<count).map { value(of: $0) }
  }

  /// Whether ``all(of:)`` returns values for a type.
  package static func isKnown(for type: any Any.Type) -> Bool {
    type is any CaseIterable.Type || count(of: type) != nil
  }

  private static func value<Value>(of index: UInt32) -> Value {
    withUnsafeBytes(of: index.littleEndian) { unsafe $0.load(as: Value.self) }
  }

  /// The number of bytes of an enum with this number of cases.
  private static func size(for count: UInt32) -> Int {
    switch count {
    case 1: 0
    case ...0x100: 1
    case ...0x1_0000: 2
    default: 4
    }
  }

  /// The number of cases of a Swift enum without payloads; nil for any other type.
  private static func count(of type: any Any.Type) -> UInt32? {
    let metadata = unsafe unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    // The metadata and descriptor kinds of enums.
    let (enumMetadata, enumDescriptor): (UInt, UInt32) = (0x201, 18)
    guard unsafe metadata[0] == enumMetadata, let descriptor = unsafe UnsafeRawPointer(bitPattern: metadata[1]) else {
      return nil
    }
    let flags = unsafe descriptor.load(as: UInt32.self)
    // C enums are represented by their C values, not by the index of the case.
    let isImported = flags >> 16 & 1 << 2 != 0
    guard flags & 0x1F == enumDescriptor, !isImported else { return nil }
    let payloadCount = unsafe descriptor.load(fromByteOffset: 20, as: UInt32.self) & 0xFF_FFFF
    let emptyCount = unsafe descriptor.load(fromByteOffset: 24, as: UInt32.self)
    return payloadCount == 0 && emptyCount > 0 ? emptyCount : nil
  }
}

extension CaseIterable {
  /// The values as an untyped array.
  fileprivate static func listedValues() -> Any { Array(allCases) }
}
