/// Whether two types are the same; a function, so that `#expect` can show the operands.
func isSame(_ type: (any Any.Type)?, as other: any Any.Type) -> Bool {
  type.map { ObjectIdentifier($0) } == ObjectIdentifier(other)
}
