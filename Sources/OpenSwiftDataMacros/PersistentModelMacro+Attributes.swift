import SwiftSyntax
import SwiftSyntaxMacros

extension PersistentModelMacro: MemberAttributeMacro {
  static func expansion(
    of node: AttributeSyntax, attachedTo declaration: some DeclGroupSyntax,
    providingAttributesFor member: some DeclSyntaxProtocol, in context: some MacroExpansionContext
  ) throws -> [AttributeSyntax] {
    if let initializer = member.as(InitializerDeclSyntax.self) {
      guard let model = ModelDeclaration(declaration, in: context.lexicalContext), model.canExpand,
        model.keepsOutOfLine(initializer)
      else {
        return []
      }
      return [AttributeSyntax(unparsed: "inline(never)")]
    }
    guard let variable = member.as(VariableDeclSyntax.self), let property = StoredProperty(variable) else { return [] }
    guard !property.isLet else {
      return twinAttribute(of: variable, in: ModelDeclaration(declaration, in: context.lexicalContext))
    }
    guard variable.attribute("_PersistedProperty") == nil, variable.attribute("_TransformablePersistedProperty") == nil,
      variable.attribute("_IsolatedPersistedProperty") == nil,
      let model = ModelDeclaration(declaration, in: context.lexicalContext), model.canExpand,
      let index = model.index(of: property.name)
    else { return [] }
    let name =
      model.isIsolated
      ? "_IsolatedPersistedProperty"
      : property.isTransformable ? "_TransformablePersistedProperty" : "_PersistedProperty"
    let inherits = model.mayHaveSuperclass ? ", inherits: true" : ""
    let required = model.requiredProperties
    let completion = required.firstIndex(of: property.name).map { ", required: \($0), of: \(required.count)" } ?? ""
    return [AttributeSyntax(unparsed: "PersistenceCore.\(name)(\(index)\(inherits)\(completion))")]
  }

  /// The attribute that generates a constant's nonisolated counterpart.
  private static func twinAttribute(of constant: VariableDeclSyntax, in model: ModelDeclaration?) -> [AttributeSyntax] {
    guard let model, model.isIsolated, model.canExpand, constant.attribute("_IsolatedConstant") == nil,
      let property = StoredProperty(constant, isIsolated: true), property.hasTwin, model.index(of: property.name) != nil
    else { return [] }
    return [AttributeSyntax(unparsed: "PersistenceCore._IsolatedConstant")]
  }
}
