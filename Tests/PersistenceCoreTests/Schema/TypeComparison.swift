/// Returns true if two types are the same. A function instead of an expression, so that a failed `#expect` shows both
/// types.
func isSame(_ type: (any Any.Type)?, as other: any Any.Type) -> Bool {
  type.map { ObjectIdentifier($0) } == ObjectIdentifier(other)
}
