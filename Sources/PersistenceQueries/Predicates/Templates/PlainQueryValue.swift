import Foundation
import PersistenceRuntime

/// A type whose values all have the same stored format and comparison.
protocol PlainQueryValue: SendableMetatype {
  /// The stored representation of the value at an address; nil for a value that needs a translation of its own.
  static func queryValue(at memory: UnsafeRawPointer) -> QueryValue?
}

extension PlainQueryValue where Self: QueryValueConvertible {
  static func queryValue(at memory: UnsafeRawPointer) -> QueryValue? {
    unsafe memory.assumingMemoryBound(to: Self.self).pointee.queryValue
  }
}

extension Int: PlainQueryValue {}
extension Int8: PlainQueryValue {}
extension Int16: PlainQueryValue {}
extension Int32: PlainQueryValue {}
extension Int64: PlainQueryValue {}
extension UInt: PlainQueryValue {}
extension UInt8: PlainQueryValue {}
extension UInt16: PlainQueryValue {}
extension UInt32: PlainQueryValue {}
extension UInt64: PlainQueryValue {}
extension Float: PlainQueryValue {}
extension Double: PlainQueryValue {}
extension String: PlainQueryValue {}
extension Date: PlainQueryValue {}
extension UUID: PlainQueryValue {}

extension Optional: PlainQueryValue where Wrapped: PlainQueryValue & QueryValueConvertible {
  static func queryValue(at memory: UnsafeRawPointer) -> QueryValue? {
    unsafe memory.assumingMemoryBound(to: Self.self).pointee?.queryValue
  }
}
