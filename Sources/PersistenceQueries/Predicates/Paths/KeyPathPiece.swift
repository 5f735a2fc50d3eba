/// What a key path of one property adds to the description of a key path that leads through it.
///
/// Key paths cannot be taken apart, and one through `?` cannot be put together from its parts. What can be compared is
/// how they describe themselves, component by component: a stored member by its name, an accessor by its address.
/// Nothing is read out of a description, only whether it is what the parts, put behind each other, say of themselves; a
/// key path that describes itself in another way is one that nothing is known of.
struct KeyPathPiece: Sendable {
  let text: String
  let position: Int

  /// The piece of a key path of a model; nil when it does not begin with its root.
  init?(_ keyPath: AnyKeyPath, position: Int) {
    guard let text = Self.text(of: keyPath) else { return nil }
    self.text = text
    self.position = position
  }

  /// What a key path says of itself behind its root.
  static func text(of keyPath: AnyKeyPath) -> String? {
    let description = keyPath.debugDescription
    let root = "\\\(type(of: keyPath).rootType)"
    guard description.hasPrefix(root + ".") else { return nil }
    return String(description.dropFirst(root.count))
  }
}

extension Substring {
  /// What follows a piece; nil when something else is here, or only a longer name that begins like the piece.
  func rest(after piece: String) -> Substring? {
    guard hasPrefix(piece) else { return nil }
    let rest = dropFirst(piece.count)
    return rest.isEmpty || rest.first == "." || rest.first == "?" || rest.first == "!" ? rest : nil
  }

  /// What follows the mark of an optional, if there is one.
  var afterOptional: Substring { first == "?" || first == "!" ? dropFirst() : self }
}
