import PersistenceRuntime

/// The columns of an attribute, computed from its encoded description without its type.
package struct AttributeShape {
  package struct Column {
    /// The names on the path to the column, the attribute's first.
    package let path: [String]
    package let format: ColumnFormat
    /// The format of the plain value, which an encrypted column wraps in bytes.
    package let valueFormat: ColumnFormat
    package let isOptional: Bool
    /// Whether integers may exceed `Int64.max`.
    package var isUnsigned = false
  }

  /// An attribute, or a member at any depth.
  package struct Part {
    /// Whether the part itself is optional.
    package let isOptional: Bool
    package let isComposite: Bool
    /// The column that is NULL exactly if the part is nil; nil if there is none, because the part is never nil.
    package let presence: [String]?
  }

  package private(set) var columns: [Column] = []
  private var parts: [[String]: Part] = [:]

  init(_ form: AttributeForm) {
    append(form, at: [form.name], isInOptional: false)
  }

  /// The part at a path that begins with the attribute's name.
  package func part(at path: [String]) -> Part? { parts[path] }

  package func hasColumn(at path: [String]) -> Bool { columns.contains { $0.path == path } }

  private mutating func append(_ form: AttributeForm, at path: [String], isInOptional: Bool) {
    let mayBeNull = isInOptional || form.isOptional
    guard let members = form.members, !form.options.contains(.ephemeral) else {
      parts[path] = Part(isOptional: form.isOptional, isComposite: false, presence: path)
      guard let format = form.columnFormat else { return }
      let isOptional = mayBeNull || form.isTransformable
      let isUnsigned = format == .integer && form.type.isUnsigned
      return columns.append(
        Column(
          path: path, format: format, valueFormat: form.valueFormat, isOptional: isOptional, isUnsigned: isUnsigned))
    }
    let required = Self.requiredPath(members, in: path)
    parts[path] = Part(
      isOptional: form.isOptional, isComposite: true, presence: required ?? (form.isOptional ? path : nil))
    if form.isOptional, required == nil {
      columns.append(Column(path: path, format: .integer, valueFormat: .integer, isOptional: true))
    }
    for member in members { append(member, at: path + [member.name], isInOptional: mayBeNull) }
  }

  /// The path of a column that a struct never leaves NULL.
  private static func requiredPath(_ members: [AttributeForm], in path: [String]) -> [String]? {
    for member in members where !member.isOptional {
      guard let inner = member.members else { return path + [member.name] }
      if let required = requiredPath(inner, in: path + [member.name]) { return required }
    }
    return nil
  }
}

extension AttributeForm {
  var isTransformable: Bool { options.contains { $0.isTransformable } }

  /// The format of the only column; nil if there is none.
  var columnFormat: ColumnFormat? {
    if options.contains(.ephemeral) { return nil }
    if options.contains(.encrypt) || isTransformable { return .blob }
    return type.columnFormat
  }

  /// The format of the plain value.
  fileprivate var valueFormat: ColumnFormat { isTransformable ? .blob : type.columnFormat }
}

extension StoredTypeName {
  /// The format of the type by its name; JSON for unknown types.
  fileprivate var columnFormat: ColumnFormat {
    if let known = KnownTypes.type(named: name) { return .format(of: known) }
    guard let raw = rawName.flatMap(KnownTypes.type) as? any StorableValue.Type else { return .json }
    return raw._$format
  }

  fileprivate var isUnsigned: Bool {
    [name, rawName].contains { name in name.flatMap(KnownTypes.type).map { ColumnFormat.isUnsigned($0) } ?? false }
  }
}
