import SwiftSyntax
import SwiftSyntaxMacros

/// Implements `@_IsolatedPersistedProperty`, the variant of `@_PersistedProperty` for models isolated to an actor.
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

/// Generates the code for a property `name` of an isolated model: its slot (the variable with the value), a nonisolated
/// computed property `_name` (the "twin"), and the accessors of `name`, which read and assign the twin.
///
/// Key paths, the code that reads and writes rows, and initialisers of actors are nonisolated, so they use the twin.
/// Programs use the twin in predicates and sort orders, so it has the property's access level. Its setter is private.
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
  /// The name of the nonisolated twin of the property (``IsolatedSlotExpansion``).
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

  /// The type of the property as source text; nil if it has no type annotation and its initial value is no literal.
  var writtenType: String? { type?.storedSource ?? initializer?.literalType }
}

extension ExprSyntax {
  /// The type that a fix-it inserts: `Date` for `Date()` and `Color` for `Color.red`; nil if it cannot be guessed.
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

/// Implements `@_IsolatedConstant`, which adds a nonisolated twin `_name` to a constant `name` of an isolated model.
///
/// Code of any isolation can read a constant, but a key path to it is isolated. Key paths therefore use the twin.
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
