/// An optional of any wrapped type, for code that does not know the type.
package protocol OptionalValue {
  static var wrappedType: any Any.Type { get }
  static var missing: Self { get }
  var wrappedValue: Any? { get }
}

extension Optional: OptionalValue {
  package static var wrappedType: any Any.Type { Wrapped.self }
  package static var missing: Wrapped? { nil }
  package var wrappedValue: Any? { map { $0 as Any } }
}
