/// A type that knows the form in which stores hold its values.
package protocol QueryValueConvertible {
  /// The value exactly as a column holds it.
  var queryValue: QueryValue { get }
}
