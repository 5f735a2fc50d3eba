import SwiftSyntax

/// The slot of a property that belongs to an actor, its twin, which does not, and the accessors over the twin.
///
/// Key paths, rows and initialisers of actors work outside of the actor: they need the twin. It is as visible as the
/// property, because predicates and sorts name it; only the type itself can set it.
struct IsolatedSlotExpansion {
  let plain: SlotExpansion

  private var property: StoredProperty { plain.property }
  private var twin: String { property.twin }

  // MARK: Peers

  var peers: [String] {
    guard let type = property.writtenType else { return [] }
    let accessors = plain.twinAccessors.joined(separator: "\n").indented
    return plain.peers + [
      """
      \(property.twinAccess)nonisolated var \(twin): \(type) {
      \(accessors)
      }
      """
    ]
  }

  // MARK: Accessors

  var accessors: [String] {
    guard property.writtenType != nil else { return [] }
    return [plain.initAccessor, getter, plain.setter(assigning: "\(twin) = newValue")]
      + (plain.hasObservers ? [] : [modifier])
  }

  private var getter: String {
    """
    get {
      \(twin)
    }
    """
  }

  private var modifier: String {
    """
    _modify {
      yield &\(twin)
    }
    """
  }
}

extension StoredProperty {
  /// The name of the property that does the same outside of the actor.
  var twin: String { "_\(name)" }

  /// The access of the twin, with a space behind it.
  var twinAccess: String {
    let setter = isLet ? "" : "private(set) "
    return switch variable.modifiers.accessKeyword {
    case .public, .open: "public \(setter)"
    case .package: "package \(setter)"
    case .fileprivate: "fileprivate \(setter)"
    case .private: "private "
    default: setter
    }
  }

  /// The source of the type of a property that several declarations have to spell; nil when its own does not tell.
  var writtenType: String? { type?.storedSource ?? initializer?.literalType }
}

extension ExprSyntax {
  /// The type that a variable gets from a literal.
  fileprivate var literalType: String? {
    switch kind {
    case .integerLiteralExpr: "Swift.Int"
    case .floatLiteralExpr: "Swift.Double"
    case .stringLiteralExpr: "Swift.String"
    case .booleanLiteralExpr: "Swift.Bool"
    case .prefixOperatorExpr: self.as(PrefixOperatorExprSyntax.self)?.expression.literalType
    default: nil
    }
  }

  /// The type that a value most likely has, to be written in its place when the author agrees.
  var likelyType: String? {
    if let call = self.as(FunctionCallExprSyntax.self) {
      return call.calledExpression.namesType ? call.calledExpression.trimmedDescription : nil
    }
    guard let base = self.as(MemberAccessExprSyntax.self)?.base, base.namesType else { return nil }
    return base.trimmedDescription
  }

  private var namesType: Bool {
    if self.is(ArrayExprSyntax.self) || self.is(DictionaryExprSyntax.self) { return true }
    return trimmedDescription.split(separator: ".").last?.first?.isUppercase ?? false
  }
}
