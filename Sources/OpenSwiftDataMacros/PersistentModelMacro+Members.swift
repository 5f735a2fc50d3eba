import SwiftSyntax
import SwiftSyntaxMacros

extension PersistentModelMacro: MemberMacro {
  static func expansion(
    of node: AttributeSyntax, providingMembersOf declaration: some DeclGroupSyntax,
    conformingTo protocols: [TypeSyntax], in context: some MacroExpansionContext
  ) throws -> [DeclSyntax] {
    guard let model = model(declaration, of: node, conformingTo: protocols, in: context),
      model.diagnose(in: context, at: node)
    else { return [] }
    return MemberExpansion(model: model, originalName: node.originalName).members.map(DeclSyntax.init(unparsed:))
  }
}

/// The members that `@Model` adds to a class.
struct MemberExpansion {
  let model: ModelDeclaration
  /// The source of the argument of `@Model(originalName:)`: the name that the entity had in stored schemas.
  let originalName: String?
  let ownAccessors: OwnAccessors

  init(model: ModelDeclaration, originalName: String?) {
    self.model = model
    self.originalName = originalName
    ownAccessors = OwnAccessors(of: model)
  }

  var access: String { model.access }
  var overridable: String { model.overridableAccess }
  var name: String { model.name }

  var members: [String] {
    guard !model.isSubmodel else { return submodelMembers }
    return [
      state, stateAddress, generatedMark, initialMark, schemaMetadata, backingDataInitializer, backingData,
      rowInitializer, make,
      read, write, relate,
      decodeRows, encodeRows, accessMethod, withMutation, marker, reference,
    ] + storableMembers + completionMembers + supermodelMembers + isolationMembers + ownAccessorMembers
  }

  private var submodelMembers: [String] {
    [
      initialMark, schemaMetadata, submodelBackingDataInitializer, submodelRowInitializer, read, write, decodeRows,
      encodeRows,
      accessMethod, withMutation, firstPosition,
    ] + storableMembers + inheritedState + (model.properties.contains(where: \.mayBeRelationship) ? [relate] : [])
      + supermodelMembers
  }

  private var state: String {
    "@safe @exclusivity(unchecked) nonisolated(unsafe) private var \(model.stateMembers.state) = \(newState)"
  }

  /// The address of the object's state. The library gets this address before it uses an object, so the getter first
  /// moves the values that the model's own accessors have set in `_$backingData` into the slots.
  private var stateAddress: String {
    let placement =
      ownAccessors.usesBackingData ? "if _$backingData.isPending { _$placeInitialValues() }\n  return " : ""
    return """
      \(access)nonisolated \(model.isActor ? "" : "final ")var _$state: Swift.UnsafeMutablePointer<_PersistenceRuntime.ModelState> {
        \(placement)unsafe Swift.withUnsafeMutablePointer(to: &\(model.stateMembers.state)) { unsafe $0 }
      }
      """
  }

  private var generatedMark: String {
    """
    \(overridable)nonisolated \(model.typeMember) var _$isGenerated: Swift.Bool {
      true
    }
    """
  }

  private var initialMark: String {
    """
    \(overridable)nonisolated \(model.typeMember) var _$marksInitialRelationships: Swift.Bool {
      \(marksInitialRelationships)
    }
    """
  }

  /// Whether initialisers record that they set relationships. In a subclass with relationships they do not: its init
  /// accessors run before the superclass has created the state that would record it.
  private var marksInitialRelationships: String {
    guard model.isSubmodel else { return "true" }
    return model.properties.contains(where: \.mayBeRelationship) ? "false" : "super._$marksInitialRelationships"
  }

  // MARK: Schema

  private var schemaMetadata: String {
    """
    \(overridable)nonisolated \(model.typeMember) var schemaMetadata: [PersistenceCore.Schema.PropertyMetadata] {
      \(inheritedMetadata)[
        \((model.properties.map(metadata) + entityMetadata + constraintMetadata).joined(separator: ",\n    "))
      ]
    }
    """
  }

  private var inheritedMetadata: String {
    guard model.isSubmodel else { return "" }
    return "PersistenceCore.Schema._$inherited(super.schemaMetadata, at: super._$keyPaths(of: \(name).self)) + "
  }

  private func metadata(of property: StoredProperty) -> String {
    """
    PersistenceCore.Schema.PropertyMetadata(name: "\(property.name.quotable)", keypath: \\\(name).\(property.path), \
    defaultValue: \(property.typedDefault ?? "nil"), metadata: \(property.metadataSource))\
    \(property.isRelatableValueName ? "._$relatable()" : "")
    """
  }

  /// An entry of `schemaMetadata` with the former name of the entity.
  private var entityMetadata: [String] {
    guard let originalName else { return [] }
    return [
      """
      PersistenceCore.Schema.PropertyMetadata(name: "SwiftData.Schema.Entity", \
      keypath: \\PersistenceCore.Schema.encodingVersion, defaultValue: nil, \
      metadata: PersistenceCore.Schema.Attribute(originalName: \(originalName)))
      """
    ]
  }

  /// The entries of `schemaMetadata` for `#Index` and `#Unique`, with the same names as in the code of Apple's macro.
  private var constraintMetadata: [String] {
    ["Index", "Unique"].flatMap { kind in
      model.expansions(of: kind).prefix(kind == "Unique" ? 1 : .max).map { expansion in
        let generic = expansion.genericArgumentClause?.trimmedDescription ?? "<\(name)>"
        return """
          PersistenceCore.Schema.PropertyMetadata(name: "SwiftData.Schema.\(kind)", \
          keypath: \\PersistenceCore.Schema.encodingVersion, defaultValue: nil, \
          metadata: PersistenceCore.Schema.\(kind)\(generic)(\(RuleKeyPaths.source(of: expansion.arguments, of: model))))
          """
      }
    }
  }

  // MARK: Backing data

  private var backingDataInitializer: String {
    """
    \(model.required)\(access)\(model.nonisolatedInitializer)init(backingData: any PersistenceCore.BackingData<\(name)>) {
      \(model.properties.map(adoption).joined(separator: "\n  "))
      \(forgetting)self._$adopt(backingData)
    }
    """
  }

  func adoption(of property: StoredProperty) -> String {
    property.isLet
      ? "self.\(property.code) = backingData.getTransformableValue(forKey: \\.\(property.path))"
      : "\(property.slot) = .fault"
  }

  private var backingData: String {
    """
    \(access)nonisolated var persistentBackingData: any PersistenceCore.BackingData<\(name)> {
      get {
        _PersistenceRuntime.ModelBackingData(self)
      }
      set {
        _$adopt(newValue)
      }
    }
    """
  }

  // MARK: Rows

  private var rowInitializer: String {
    """
    \(model.required)\(access)\(model.nonisolatedInitializer)init(_$row row: \(rowType)) {
      \(rowSource).beginModel()
      \(model.hasOwnExecutor ? "_$jobs = \(rowSource).execution\n  " : "")\(forgetting)\(decodings)
    }
    """
  }

  var decodings: String {
    model.properties.enumerated().map { decoding($0, $1, of: rowSource) }.joined(separator: "\n  ")
  }

  private func decoding(_ index: Int, _ property: StoredProperty, of row: String = "row") -> String {
    let target = property.isLet ? "self.\(property.code)" : property.slot
    let plainMethod = property.isLet ? "constant" : "slot"
    let method = property.isTransformable ? (property.isLet ? "transformedConstant" : "transformed") : plainMethod
    let position = model.localPosition(index)
    guard property.isOutOfRow else { return "\(target) = \(row).\(method)(\(position))" }
    return
      "\(target) = \(row).\(property.isLet ? "outOfRowConstant" : "outOfRow")(\(position)) { $0.\(method)(\(position)) }"
  }

  private var make: String {
    """
    \(overridable)nonisolated \(model.typeMember) func _$make(_ row: inout _PersistenceRuntime.RowReader) -> Self {
      _PersistenceRuntime._$beginDecoding()
      return \(model.isActor ? "_PersistenceRuntime.RowReaderPointer.with(&row, Self.init(_$row:))" : "Self(_$row: &row)")
    }
    """
  }

  private var read: String {
    """
    \(overridable)nonisolated \(model.member)func _$read(_ row: inout _PersistenceRuntime.RowReader) {
      \(inheritedRead)\(model.properties.enumerated().map(refresh).joined(separator: "\n  "))
    }
    """
  }

  private func refresh(_ index: Int, _ property: StoredProperty) -> String {
    let position = model.localPosition(index)
    if property.isLet { return "row.skip(self.\(property.code), \(position))" }
    if property.isValue {
      return """
        if row.refresh(\(property.slot), \(position)) {
            unsafe _$replace(\\.\(property.path), &\(property.slot), row.slot(\(position)))
          }
        """
    }
    return """
      if \(comparison(position, property)) {
          _$notify(\\.\(property.path)) {
            \(decoding(index, property))
          }
        }
      """
  }

  private func comparison(_ position: String, _ property: StoredProperty) -> String {
    let call = "\(property.isTransformable ? "refreshTransformed" : "refresh")(\(property.slot), \(position))"
    return property.isOutOfRow
      ? "row.refreshOutOfRow(\(property.slot), \(position), { $0.\(call) })" : "row.\(call)"
  }

  private var write: String {
    """
    \(overridable)nonisolated \(model.member)func _$write(_ row: inout _PersistenceRuntime.RowWriter) {
      \(inheritedWrite)\(model.properties.enumerated().map(encoding).joined(separator: "\n  "))
    }
    """
  }

  private func encoding(_ index: Int, _ property: StoredProperty) -> String {
    let source = property.isLet ? ".value(self.\(property.code))" : property.slot
    let position = model.localPosition(index)
    let call = "\(property.isTransformable ? "transform" : "write")(\(source), \(position))"
    return property.isOutOfRow ? "row.outOfRow(\(position)) { $0.\(call) }" : "row.\(call)"
  }

  /// A method that applies an operation to the relationship at a position. It has a case for each property that may be
  /// a relationship; for those that are not, the compiler selects an overload of `apply` that does nothing.
  var relate: String {
    let cases = model.properties.enumerated().filter { $1.mayBeRelationship }.map { index, property in
      "case \(model.localPosition(index)):\n    unsafe edit.apply(to: self, \\.\(property.path), &\(property.slot))"
    }
    let list = cases.joined(separator: "\n  ")
    let others = model.isSubmodel ? "super._$relate(&edit, position)" : "break"
    let body = cases.isEmpty ? "" : "switch position {\n  \(list)\n  default:\n    \(others)\n  }"
    let head = "\(overridable)nonisolated \(model.member)func _$relate"
    guard !body.isEmpty || model.isSubmodel else {
      return "\(head)(_ edit: inout _PersistenceRuntime.RelationshipSlotOperation, _ position: Swift.Int) {}"
    }
    return """
      \(head)(_ edit: inout _PersistenceRuntime.RelationshipSlotOperation, _ position: Swift.Int) {
        \(model.isSubmodel ? firstOfMany : "")\(body)
      }
      """
  }

  private var decodeRows: String {
    """
    \(overridable)nonisolated \(model.typeMember) func _$decode(_ rows: inout _PersistenceRuntime.RowReader) throws {
      try rows.decodeAll(\(name).self)
    }
    """
  }

  private var encodeRows: String {
    """
    \(overridable)nonisolated \(model.typeMember) func _$encode(_ rows: inout _PersistenceRuntime.RowWriter) throws {
      try rows.encodeAll(\(name).self)
    }
    """
  }

  // MARK: Observation

  private var accessMethod: String {
    """
    internal nonisolated func access<_$Member>(keyPath: Swift.KeyPath<\(name), _$Member>) {
      _$access(keyPath)
    }
    """
  }

  private var withMutation: String {
    """
    internal nonisolated func withMutation<_$Member, _$MutationResult>(
      keyPath: Swift.KeyPath<\(name), _$Member>, _ mutation: () throws -> _$MutationResult
    ) rethrows -> _$MutationResult {
      try _$withMutation(keyPath, mutation)
    }
    """
  }

  /// The type that replaces the model in a struct of `@ModelValue`: its identifier. An extension of `Decodable`
  /// declares this alias as the type itself, so a model, which may be `Decodable`, declares its own alias.
  private var reference: String {
    "\(access)typealias _$Reference = PersistenceCore.PersistentIdentifier"
  }

  /// The type whose value the model's own accessors assign to a slot: `Slot`, if the model uses `_$backingData`.
  private var marker: String {
    ownAccessors.usesBackingData
      ? "\(access)typealias _SwiftDataNoType = _PersistenceRuntime.Slot" : "\(access)struct _SwiftDataNoType {}"
  }
}
