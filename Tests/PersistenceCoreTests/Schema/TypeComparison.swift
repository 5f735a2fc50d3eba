/// Whether two types are the same, in a form that `#expect` can take apart.
func isSame(_ type: (any Any.Type)?, as other: any Any.Type) -> Bool {
  type.map { ObjectIdentifier($0) } == ObjectIdentifier(other)
}
