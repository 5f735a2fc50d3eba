/// Recognises key paths to stored members of structs.
enum MemberPath {
  /// The offset of the member; nil for computed members, and members of classes.
  static func offset(of keyPath: AnyKeyPath) -> Int? {
    func offset<Root>(_ root: Root.Type) -> Int? {
      (keyPath as? PartialKeyPath<Root>).flatMap { MemoryLayout<Root>.offset(of: $0) }
    }
    return _openExistential(type(of: keyPath).rootType, do: offset)
  }
}
