import SwiftSyntax
import SwiftSyntaxMacros

/// `@_IsolatedPersistedProperty`: `@_PersistedProperty` for a property of an isolated model.
struct IsolatedPersistedPropertyMacro: LaidOutMacro {
  private static func expansion(
    of node: AttributeSyntax, on declaration: some DeclSyntaxProtocol, completion: SlotCompletion? = nil
  ) -> IsolatedSlotExpansion? {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      let property = StoredProperty(variable, isIsolated: true), !property.isLet
    else { return nil }
    return IsolatedSlotExpansion(
      plain: SlotExpansion(property: property, index: node.propertyIndex, completion: completion))
  }
}

extension IsolatedPersistedPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    (expansion(of: node, on: declaration, completion: node.completion(in: context))?.peers ?? [])
      .map(DeclSyntax.init(unparsed:))
  }
}

extension IsolatedPersistedPropertyMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [AccessorDeclSyntax] {
    (expansion(of: node, on: declaration, completion: node.completion(in: context))?.accessors ?? [])
      .map(AccessorDeclSyntax.init(unparsed:))
  }
}

/// The slot of an isolated property, its nonisolated counterpart ("twin"), and the accessors that use the twin.
///
/// Key paths, row coding and actor initialisers are nonisolated and need the twin. The twin has the property's access
/// level, because predicates and sorts name it. Its setter is private.
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
  /// The name of the nonisolated counterpart.
  var twin: String { "_\(name)".identifier }

  /// The access modifiers of the twin, with a trailing space.
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

  /// The source of the type, which several declarations repeat; nil if the type is not explicit.
  var writtenType: String? { type?.storedSource ?? initializer?.literalType }
}

extension ExprSyntax {
  /// The likely type of a value, for a fix-it.
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

/// `@_IsolatedConstant`: the nonisolated counterpart of an isolated model's constant.
///
/// A constant can be read in any isolation. But key paths to it are isolated, the same as key paths to a variable.
struct IsolatedConstantMacro: PeerMacro, LaidOutMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self),
      let property = StoredProperty(variable, isIsolated: true), property.isLet, let type = property.writtenType
    else { return [] }
    let twin = """
      \(property.twinAccess)nonisolated var \(property.twin): \(type) {
        \(property.code)
      }
      """
    return [DeclSyntax(unparsed: twin)]
  }
}
