/// A composite property, or a member of one at any depth, for queries and the schema.
///
/// Unchecked: key paths and metatypes are not Sendable as types; immutable after initialisation.
package struct CompositePart: @unchecked Sendable {
  /// A member by its offset in the enclosing struct.
  package struct Member {
    let offset: Int
    let type: any Any.Type
    package let part: Int
  }

  /// The names on the path to the part, the property's first.
  package let path: [String]
  package let type: any Any.Type
  package let form: any MemberForm.Type
  /// The layout of a composite.
  package let inner: StructLayout?
  /// The key path from the property's value, force-unwrapping optionals; nil for the property itself.
  let keyPath: AnyKeyPath?
  /// The first column, relative to the property's first.
  package let column: Int
  /// Whether an enclosing composite is optional.
  let isInOptional: Bool
  /// The members of a composite.
  package fileprivate(set) var members: [Member] = []

  init(name: String, type: any Any.Type, form: any MemberForm.Type, inner: StructLayout?) {
    self.init(
      path: [name], type: type, form: form, inner: inner, keyPath: nil, column: 0, isInOptional: false)
  }

  fileprivate init(
    path: [String], type: any Any.Type, form: any MemberForm.Type, inner: StructLayout?, keyPath: AnyKeyPath?,
    column: Int, isInOptional: Bool
  ) {
    self.path = path
    self.type = type
    self.form = form
    self.inner = inner
    self.keyPath = keyPath
    self.column = column
    self.isInOptional = isInOptional
  }

  /// The name in schema rules.
  package var name: String { path.joined(separator: ".") }

  /// The columns, relative to the property's first.
  package var columns: Range<Int> {
    column..<column + (inner.map { $0.columnCount(isOptional: form.isOptional) } ?? 1)
  }

  /// The key path to the payload of an optional composite.
  fileprivate var keyPathToPayload: AnyKeyPath? {
    func unwrapping<Value>(_ type: Value.Type) -> AnyKeyPath { \Value?.self! }
    guard let inner else { return keyPath }
    let unwrapping = _openExistential(inner.type, do: unwrapping)
    return keyPath.map { $0.appending(path: unwrapping) } ?? unwrapping
  }

  /// The column that is NULL exactly if the part is nil.
  package var presence: Int { column + (inner.map { Int($0.presence) } ?? 0) }
}

/// Collects the parts and columns of a composite property.
struct CompositeParts {
  private(set) var parts: [CompositePart] = []
  private(set) var columns: [ColumnLayout] = []

  /// Appends a part and all its members.
  mutating func append(_ part: CompositePart) {
    let index = parts.count
    parts.append(part)
    guard let inner = part.inner else { return columns.append(column(part, part.form.format)) }
    let hasLeading = part.form.isOptional && inner.leadingColumns != 0
    if hasLeading { columns.append(column(part, .integer)) }
    for field in inner.fields {
      parts[index].members.append(
        CompositePart.Member(offset: field.offset, type: field.type, part: parts.count))
      append(member(field, of: part, after: hasLeading ? 1 : 0))
    }
  }

  private func member(_ field: StructLayout.Field, of part: CompositePart, after leading: Int) -> CompositePart {
    let isInOptional = part.isInOptional || part.form.isOptional
    let unwrapped = part.form.isOptional ? part.keyPathToPayload : part.keyPath
    let keyPath = unwrapped.map { $0.appending(path: field.keyPath) } ?? field.keyPath
    return CompositePart(
      path: part.path + [field.name], type: field.type, form: field.form, inner: field.inner,
      keyPath: keyPath, column: part.column + leading + field.column, isInOptional: isInOptional)
  }

  private func column(_ part: CompositePart, _ format: ColumnFormat) -> ColumnLayout {
    ColumnLayout(
      name: part.path.joined(separator: "_"), format: format, isOptional: part.isInOptional || part.form.isOptional,
      path: part.path, isUnsigned: part.inner == nil && ColumnFormat.isUnsigned(PropertyType(part.type).wrapped))
  }
}

extension PropertyLayout {
  /// Adds the meanings of key paths to members with a column, given a key path to the property.
  func addMembers(to meanings: inout [AnyKeyPath: KeyPathMeaning], from keyPath: AnyKeyPath) {
    for part in composite?.parts ?? [] where part.inner == nil {
      guard let path = part.keyPath, let keyPath = keyPath.appending(path: path) else { continue }
      meanings[keyPath] = .column(position, part.column)
    }
  }
}

extension CompositeLayout {
  /// The member of a part at an offset. An offset inside nested structs is resolved through the non-optional ones.
  package func member(of part: Int, at offset: Int, type: any Any.Type) -> Int? {
    let members = parts[part].members
    if let member = members.first(where: { $0.offset == offset && $0.type == type }) { return member.part }
    let around = members.last { member in
      member.offset <= offset && parts[member.part].inner != nil && !parts[member.part].form.isOptional
    }
    return around.flatMap { self.member(of: $0.part, at: offset - $0.offset, type: type) }
  }
}
