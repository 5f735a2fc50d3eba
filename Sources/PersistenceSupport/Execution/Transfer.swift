/// Carries a non-Sendable value into another isolation region.
///
/// Unchecked: it is created only from `sending` values, which no other code can reach, and it is read once.
@usableFromInline
package struct Transfer<Value>: @unchecked Sendable {
  @usableFromInline package let value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
  }
}
