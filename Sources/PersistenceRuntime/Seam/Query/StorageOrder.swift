import Foundation

/// A type whose `<` agrees with the order of its stored representation.
///
/// An enum with its own order does not conform, whatever its raw values.
package protocol StorageOrdered {}

extension Int: StorageOrdered {}
extension Int8: StorageOrdered {}
extension Int16: StorageOrdered {}
extension Int32: StorageOrdered {}
extension Int64: StorageOrdered {}
extension UInt: StorageOrdered {}
extension UInt8: StorageOrdered {}
extension UInt16: StorageOrdered {}
extension UInt32: StorageOrdered {}
extension UInt64: StorageOrdered {}
extension Double: StorageOrdered {}
extension Float: StorageOrdered {}
extension Decimal: StorageOrdered {}
extension String: StorageOrdered {}
extension Date: StorageOrdered {}
extension UUID: StorageOrdered {}

// An optional orders as its wrapped type, nil first.
extension Optional: StorageOrdered where Wrapped: StorageOrdered {}

/// Tests whether a store can compare a type.
package enum StorageOrder {
  @specialized(where Value == Int)
  @specialized(where Value == String)
  @specialized(where Value == Double)
  @specialized(where Value == Date)
  package static func check<Value>(_ type: Value.Type) throws(UntranslatableExpression) {
    guard Value.self is any StorageOrdered.Type else {
      throw UntranslatableExpression(
        "an order of values of type \(Value.self), whose '<' is not the order of its stored values")
    }
  }

  package static func isOrdered(_ type: any Any.Type) -> Bool {
    type is any StorageOrdered.Type
  }
}
