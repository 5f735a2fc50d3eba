import SwiftSyntax
import SwiftSyntaxMacros

/// Generates the struct `Value` of a model with `@ModelValue`, and the code that creates values from rows and objects.
struct ValueExpansion {
  let model: ModelDeclaration
  let omissions: [StringLiteralExprSyntax]

  private var access: String { model.access }
  private var name: String { model.name }

  /// The properties that the struct contains, with their positions in the model.
  private var fields: [(position: Int, property: StoredProperty)] {
    let omitted = Set(omissions.compactMap(\.representedLiteralValue))
    return model.properties.enumerated().filter { !omitted.contains($1.name) && $1.isPartOfValue }
      .map { (position: $0, property: $1) }
  }

  /// Whether the struct can be generated: every property has an explicit type, no member of the model has the name
  /// `Value`, and no property has a type named `Value`.
  var isPossible: Bool {
    fields.allSatisfy { $0.property.writtenType != nil } && ownTypes.isEmpty && hiddenTypes.isEmpty
  }

  /// The name tokens of types called `Value` that the model itself declares.
  private var ownTypes: [TokenSyntax] {
    let members = model.declaration.memberBlock.members.map(\.decl)
    let types = members.filter { $0.isProtocol(DeclGroupSyntax.self) || $0.is(TypeAliasDeclSyntax.self) }
    return types.compactMap { $0.asProtocol(NamedDeclSyntax.self)?.name }.filter { $0.text == Self.typeName }
  }

  /// The properties whose type contains the name `Value`. In the model, this name would mean the generated struct.
  private var hiddenTypes: [(property: StoredProperty, use: TokenSyntax)] {
    model.properties.flatMap { property in
      (property.type?.uses(of: [Self.typeName]) ?? []).map { (property: property, use: $0) }
    }
  }

  private static let typeName = "Value"

  /// Reports errors. Returns true if the struct can be generated.
  func diagnose(in context: some MacroExpansionContext) -> Bool {
    let names = Set(model.properties.map(\.name))
    for omission in omissions where !names.contains(omission.representedLiteralValue ?? "") {
      context.diagnose(.unknownOmission(name: omission.representedLiteralValue ?? "", model: name), at: omission)
    }
    for type in ownTypes { context.diagnose(.valueNameTaken(model: name), at: type) }
    if ownTypes.isEmpty {
      for (property, use) in hiddenTypes { context.diagnose(.valueNameHidden(name: property.name), at: use) }
    }
    // In an isolated model, `@Model` reports properties without an explicit type.
    guard !model.isIsolated else { return isPossible }
    for (_, property) in fields where property.writtenType == nil {
      context.diagnose(
        .valueWithoutType(name: property.name), at: property.binding.pattern, fixIt: .addType(to: property.binding))
    }
    return isPossible
  }

  var members: [String] { [structure, positions, conversion, decodeRows] }

  // MARK: The struct

  private var structure: String {
    """
    \(access)nonisolated struct Value: PersistenceExtensions.ModelValue\(identifiable) {
      \(access)let persistentModelID: PersistenceCore.PersistentIdentifier
      \((fields.map(field) + identity).joined(separator: "\n  "))

      \(initializers)

      \(access)mutating func _$fill(_ position: Swift.Int, _ identifiers: [PersistenceCore.PersistentIdentifier]) {
        \(fillings)
      }
    }
    """
  }

  private func field(_ position: Int, _ property: StoredProperty) -> String {
    "\(property.valueAccess)var \(property.code): \(property.valueType)"
  }

  /// The conformance to `Identifiable`. It is left out if the model has a property `id` that is less accessible than
  /// the struct, because this property could not satisfy the protocol.
  private var identifiable: String {
    let own = fields.first { $0.property.name == "id" }
    return own.map { $0.property.valueAccess == access } ?? true ? ", Swift.Identifiable" : ""
  }

  private var identity: [String] {
    guard !fields.contains(where: { $0.property.name == "id" }) else { return [] }
    return ["\(access)var id: PersistenceCore.PersistentIdentifier {\n    persistentModelID\n  }"]
  }

  private var initializers: String {
    """
    \(isolation)\(access)init(_ model: \(model.isActor ? "isolated " : "")\(name)) {
        self.init(_$model: model)
      }

      fileprivate init(_$model model: \(name)) {
        persistentModelID = model.persistentModelID
        \(fields.map(copy).joined(separator: "\n    "))
      }

      fileprivate init(_$row row: inout _PersistenceRuntime.RowReader) {
        persistentModelID = row.identifier
        \(readings)
      }
    """
  }

  private var isolation: String {
    model.globalActor.map { "@\($0) " } ?? ""
  }

  private func copy(_ position: Int, _ property: StoredProperty) -> String {
    "self.\(property.code) = PersistenceExtensions._$reference(model.\(property.path))"
  }

  /// Statements that read the columns of the struct's properties. A fetch of values leaves out the columns of all other
  /// properties. But the model's properties from the 64th on share one bit of the fetch's property mask, so a fetch
  /// reads all of them or none. If the struct lacks one of these properties, a statement skips the property's columns.
  private var readings: String {
    let wanted = Set(fields.map(\.position))
    let passed = model.properties.indices.filter { $0 > 62 && !wanted.contains($0) }.map {
      (position: $0, reading: "row.pass(\($0))")
    }
    let read = fields.map { (position: $0.position, reading: reading($0.position, $0.property)) }
    return (read + passed).sorted { $0.position < $1.position }.map(\.reading).joined(separator: "\n    ")
  }

  private func reading(_ position: Int, _ property: StoredProperty) -> String {
    property.isOutOfRow
      ? "self.\(property.code) = row.outOfRowConstant(\(position)) { $0.constant(\(position)) }"
      : "self.\(property.code) = row.constant(\(position))"
  }

  private var fillings: String {
    let cases = fields.filter { $0.property.mayBeRelationship }.map { position, property in
      "case \(position):\n      PersistenceExtensions._$fill(&self.\(property.code), identifiers)"
    }
    guard !cases.isEmpty else { return "" }
    return "switch position {\n    \(cases.joined(separator: "\n    "))\n    default:\n      break\n    }"
  }

  // MARK: The class

  private var positions: String {
    """
    \(access)nonisolated static var _$valuePositions: [Swift.Int] {
      [\(fields.map { "\($0.position)" }.joined(separator: ", "))]
    }
    """
  }

  private var conversion: String {
    """
    \(access)nonisolated static func _$value(of model: \(name)) -> Value {
      Value(_$model: model)
    }
    """
  }

  private var decodeRows: String {
    """
    \(access)nonisolated static func _$decodeValues(_ rows: inout _PersistenceRuntime.RowReader) throws -> [Value] {
      try rows.decodeValues {
        Value(_$row: &$0)
      }
    }
    """
  }
}
