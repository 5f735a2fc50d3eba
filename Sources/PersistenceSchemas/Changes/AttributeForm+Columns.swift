import PersistenceRuntime
import PersistenceSupport

/// Computes the columns of an attribute from the encoded schema alone, for example if its type no longer exists.
extension AttributeForm {
  /// An attribute, or a member of its struct at any depth.
  package struct Part {
    /// Whether the part is declared optional. An enclosing part may be optional even if this is false.
    package let isOptional: Bool
    package let isComposite: Bool
    /// The path of the column that is NULL if and only if the part is nil; nil if there is no such column.
    package let presence: [String]?
  }

  package var columns: [ColumnLayout] { columns(at: [name], isInOptional: false) }

  /// The part at a path, whose first element is the name of the attribute.
  package func part(at path: [String]) -> Part? {
    guard path.first == name else { return nil }
    var form = self
    for name in path.dropFirst() {
      guard let member = form.storedMembers?.first(where: { $0.name == name }) else { return nil }
      form = member
    }
    guard let members = form.storedMembers else {
      return Part(isOptional: form.isOptional, isComposite: false, presence: path)
    }
    let required = Self.requiredPath(members, in: path)
    return Part(isOptional: form.isOptional, isComposite: true, presence: required ?? (form.isOptional ? path : nil))
  }

  /// The members of a struct that is stored in a column for each member; nil for any other attribute.
  private var storedMembers: [AttributeForm]? { options.contains(.ephemeral) ? nil : members }

  private func columns(at path: [String], isInOptional: Bool) -> [ColumnLayout] {
    let mayBeNull = isInOptional || isOptional
    guard let members = storedMembers else {
      guard let format = columnFormat else { return [] }
      return [
        ColumnLayout(
          name: path.joined(separator: "_"), format: format, isOptional: mayBeNull || isTransformable, path: path,
          isUnsigned: format == .integer && type.isUnsigned)
      ]
    }
    var columns: [ColumnLayout] = []
    if isOptional, Self.requiredPath(members, in: path) == nil {
      columns.append(
        ColumnLayout(name: path.joined(separator: "_"), format: .integer, isOptional: true, path: path))
    }
    for member in members { columns += member.columns(at: path + [member.name], isInOptional: mayBeNull) }
    return columns
  }

  /// The path of the struct's first column that is NULL only if the whole struct is nil; nil if there is none.
  private static func requiredPath(_ members: [AttributeForm], in path: [String]) -> [String]? {
    for member in members where !member.isOptional {
      guard let inner = member.members else { return path + [member.name] }
      if let required = requiredPath(inner, in: path + [member.name]) { return required }
    }
    return nil
  }

  var isTransformable: Bool { options.contains { $0.isTransformable } }

  /// The format of the attribute's column; nil if the attribute is not stored.
  private var columnFormat: ColumnFormat? {
    if options.contains(.ephemeral) { return nil }
    if options.contains(.encrypt) || isTransformable { return .blob }
    return type.columnFormat
  }

  /// The format of the value before encryption; nil if the attribute is not stored.
  package var valueFormat: ColumnFormat? {
    if options.contains(.ephemeral) { return nil }
    return isTransformable ? .blob : type.columnFormat
  }
}

extension StoredTypeName {
  /// The column format for values of the type. Values of unknown types are stored as JSON.
  fileprivate var columnFormat: ColumnFormat {
    if let known = KnownTypes.type(named: name) { return .format(of: known) }
    guard let raw = rawName.flatMap(KnownTypes.type) as? any StorableValue.Type else { return .json }
    return raw._$format
  }

  fileprivate var isUnsigned: Bool {
    [name, rawName].contains { name in name.flatMap(KnownTypes.type).map { ColumnFormat.isUnsigned($0) } ?? false }
  }
}
