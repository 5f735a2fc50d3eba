import SwiftSyntax
import SwiftSyntaxMacros

/// A class or actor with `@Model`, with the parts of its source that the expansions use.
struct ModelDeclaration {
  let declaration: any DeclGroupSyntax
  let nameToken: TokenSyntax
  /// The isolation of the properties.
  let isolation: ModelIsolation
  let properties: [StoredProperty]
  /// Whether the superclass is a model. The compiler reports this only to the roles of the macro that add conformances
  /// or members; in the other roles it is false.
  let isSubmodel: Bool
  /// The enclosing declarations, innermost first.
  private let lexicalContext: [Syntax]

  /// Returns nil for a declaration that cannot be a model.
  init?(_ declaration: some DeclGroupSyntax, in lexicalContext: [Syntax] = [], isSubmodel: Bool = false) {
    guard let isolation = ModelIsolation(declaration), let name = declaration.asProtocol(NamedDeclSyntax.self)?.name
    else { return nil }
    self.declaration = declaration
    self.nameToken = name
    self.isolation = isolation
    self.lexicalContext = lexicalContext
    self.isSubmodel = isSubmodel
    self.properties = declaration.memberBlock.members.compactMap {
      $0.decl.as(VariableDeclSyntax.self).flatMap { StoredProperty($0, isIsolated: isolation != .none) }
    }
  }

  var name: String { nameToken.trimmedDescription }

  var isActor: Bool { isolation == .actor }

  var isIsolated: Bool { isolation != .none }

  /// Whether the class or an enclosing type is generic. Parameters of an extended type are not visible here.
  var isGeneric: Bool {
    ([Syntax(declaration)] + lexicalContext).contains {
      $0.asProtocol(WithGenericParametersSyntax.self)?.genericParameterClause != nil
    }
  }

  /// Whether the class is declared in an extension. The extended type may be generic, which the macro cannot see.
  var isInExtension: Bool { lexicalContext.contains { $0.is(ExtensionDeclSyntax.self) } }

  var isFinal: Bool { isActor || has(.final) }

  /// The access modifier of generated members that are visible outside of the class, with a trailing space.
  var access: String { declaration.memberAccess(in: lexicalContext) }

  /// The access modifier of generated members that a subclass overrides, with a trailing space.
  var overridableAccess: String {
    !isFinal && declaration.modifiers.accessKeyword == .open ? "open " : access
  }

  /// The keyword for generated type members that a subclass overrides: `class`, `override class` or `static`.
  var typeMember: String { isSubmodel ? "override class" : isFinal ? "static" : "class" }

  var member: String { isSubmodel ? "override " : "" }

  var required: String { isFinal && !isSubmodel ? "" : "required " }

  /// The isolation modifier of a generated initialiser, with a trailing space. Synchronous initialisers of actors are
  /// nonisolated without a modifier.
  var nonisolatedInitializer: String { isActor ? "" : "nonisolated " }

  private func has(_ keyword: Keyword) -> Bool {
    declaration.modifiers.contains { $0.name.tokenKind == .keyword(keyword) }
  }

  /// Whether the class declares an initialiser outside of `#if`, and so in every build configuration.
  var hasInitializer: Bool {
    declaration.memberBlock.members.contains { $0.decl.is(InitializerDeclSyntax.self) }
  }

  /// Whether the class declares an initialiser, possibly in `#if`.
  var mayHaveInitializer: Bool { !declaration.memberBlock.members.initializers.isEmpty }

  /// Whether the macro can expand the class. If not, no role generates code, so that the compiler reports only the
  /// error of the macro, and no errors in generated code.
  var canExpand: Bool {
    (mayHaveInitializer || isActor) && !properties.contains { $0.isLet && $0.relationship != nil } && canIsolate
  }

  func expansions(of macro: String) -> [MacroExpansionDeclSyntax] {
    declaration.memberBlock.members.compactMap {
      $0.decl.as(MacroExpansionDeclSyntax.self).flatMap { $0.macroName.text == macro ? $0 : nil }
    }
  }

  /// The index of a property among the stored properties. The generated setter marks this index as changed.
  func index(of name: String) -> Int? {
    properties.firstIndex { $0.name == name }
  }
}

/// Common protocols. If one of them comes first in an inheritance clause, the class has no superclass.
private let knownProtocols: Set<String> = [
  "AnyObject", "Codable", "Comparable", "CustomDebugStringConvertible", "CustomStringConvertible", "Decodable",
  "Encodable", "Equatable", "Hashable", "Identifiable", "Observable", "ObservableObject", "PersistentModel", "Sendable",
]

extension ModelDeclaration {
  /// Whether the class may have a superclass: the first name in its inheritance clause is not a well-known protocol.
  /// Nothing in the source distinguishes a superclass from a protocol.
  ///
  /// All roles of the macro must give a property the same number, but only some roles know whether the superclass is a
  /// model. So in a class that may have a superclass, the generated code adds the constant ``firstPosition`` to the
  /// index of a property. The constant is the number of inherited properties: 0 if the superclass is no model.
  var mayHaveSuperclass: Bool {
    guard !isActor else { return false }
    return declaration.inheritanceClause?.inheritedTypes.first.map { Self.mayBeClass($0.type) } ?? false
  }

  private static func mayBeClass(_ type: TypeSyntax) -> Bool {
    if let identifier = type.as(IdentifierTypeSyntax.self) { return !knownProtocols.contains(identifier.name.text) }
    if let member = type.as(MemberTypeSyntax.self) { return !knownProtocols.contains(member.name.text) }
    if let composition = type.as(CompositionTypeSyntax.self) {
      return composition.elements.contains { mayBeClass($0.type) }
    }
    // `~Copyable` and `@unchecked Sendable` are not classes.
    return false
  }

  /// The name of the generated constant that contains the number of inherited properties.
  static let firstPosition = "_$first"

  /// The number of a property as source text, for a generated method. In a subclass the text adds the index to the
  /// local constant `first`, which is the number of inherited properties.
  func localPosition(_ index: Int) -> String {
    isSubmodel ? "first + \(index)" : "\(index)"
  }
}
