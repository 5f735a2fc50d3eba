import Foundation
import PersistenceSupport

/// Caches the value transformers of one fetch or save by property name.
package final class TransformerCache {
  private var transformers: [String: ValueTransformer] = [:]

  package init() {}

  func data<T>(of value: T, property: PropertyLayout) throws -> Data? {
    guard let present = Self.unwrapped(value) else { return nil }
    guard let result = try transformer(of: property).transformedValue(present) else { return nil }
    guard let data = result as? Data else {
      throw SwiftDataError(
        .valueNotStorable, "the value transformer of \(property.name) makes \(type(of: result)) where Data is needed")
    }
    return data
  }

  func value<T>(of data: Data?, property: PropertyLayout, as type: T.Type) throws -> T {
    let value = try data.flatMap { try transformer(of: property).reverseTransformedValue($0) }
    // NULL becomes nil. For bytes that the transformer rejects, nil would silently discard the value.
    let isLost = value == nil && data?.isEmpty == false
    if !isLost, let value = value as? T { return value }
    throw SwiftDataError(
      .corruptValue,
      "the value transformer of \(property.name) makes \(value.map { "\(Swift.type(of: $0))" } ?? "nil") of the stored "
        + "bytes where \(T.self) is needed")
  }

  private func transformer(of property: PropertyLayout) throws -> ValueTransformer {
    if let known = transformers[property.name] { return known }
    guard let found = property.attribute?.transformer else {
      throw SwiftDataError(.invalidSchema, "the value transformer of \(property.name) is not registered")
    }
    transformers[property.name] = found
    return found
  }

  private static func unwrapped<T>(_ value: T) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.wrappedValue
  }
}
