import Foundation

/// A type whose `<` orders values as a store orders their stored form.
///
/// An enum that orders its cases in its own way is not one, whatever its raw values are.
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

// An optional orders like what it wraps, nil before everything.
extension Optional: StorageOrdered where Wrapped: StorageOrdered {}

/// Tells which types a store can compare.
package enum StorageOrder {
  @specialized(where Value == Int)
  @specialized(where Value == String)
  @specialized(where Value == Double)
  @specialized(where Value == Date)
  package static func check<Value>(_ type: Value.Type) throws(UntranslatableExpression) {
    guard Value.self is any StorageOrdered.Type else {
      throw UntranslatableExpression("an order of values of type \(Value.self), which orders itself")
    }
  }

  package static func isOrdered(_ type: any Any.Type) -> Bool {
    type is any StorageOrdered.Type
  }
}
