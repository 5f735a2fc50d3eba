/// Carries a value that is not Sendable to where it is used next.
///
/// Unchecked, because the compiler has checked it before: it is made of values only that were `sending`, which belong to
/// nobody else, and it is opened once.
@usableFromInline
package struct Transfer<Value>: @unchecked Sendable {
  @usableFromInline package let value: Value

  @inlinable
  package init(_ value: Value) {
    self.value = value
  }
}
