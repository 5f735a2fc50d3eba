/// Recognises key paths to stored members of structs.
enum MemberPath {
  /// Where in a value the member is; nil for a member that is computed, and for one of a class.
  static func offset(of keyPath: AnyKeyPath) -> Int? {
    func offset<Root>(_ root: Root.Type) -> Int? {
      (keyPath as? PartialKeyPath<Root>).flatMap { MemoryLayout<Root>.offset(of: $0) }
    }
    return _openExistential(type(of: keyPath).rootType, do: offset)
  }
}
