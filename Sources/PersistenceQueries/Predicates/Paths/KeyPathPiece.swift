/// The text that a property's key path contributes to the description of a key path through it.
///
/// Key paths cannot be decomposed, and one through `?` cannot be composed of its parts. Their debug descriptions can be
/// compared component by component: a stored member by name, an accessor by address. Nothing is parsed from a
/// description; it is only compared with the concatenated descriptions of the parts. A key path with a different
/// description is unknown.
struct KeyPathPiece: Sendable {
  let text: String
  let position: Int

  /// The piece of a model's key path; nil if its description does not begin with the root.
  init?(_ keyPath: AnyKeyPath, position: Int) {
    guard let text = Self.text(of: keyPath) else { return nil }
    self.text = text
    self.position = position
  }

  /// The description of a key path after its root.
  static func text(of keyPath: AnyKeyPath) -> String? {
    let description = keyPath.debugDescription
    let root = "\\\(type(of: keyPath).rootType)"
    guard description.hasPrefix(root + ".") else { return nil }
    return String(description.dropFirst(root.count))
  }
}

extension Substring {
  /// The text after a piece; nil if the text differs, or continues with a longer name.
  func rest(after piece: String) -> Substring? {
    guard hasPrefix(piece) else { return nil }
    let rest = dropFirst(piece.count)
    return rest.isEmpty || rest.first == "." || rest.first == "?" || rest.first == "!" ? rest : nil
  }

  /// The text after an optional's mark, if there is one.
  var afterOptional: Substring { first == "?" || first == "!" ? dropFirst() : self }
}
