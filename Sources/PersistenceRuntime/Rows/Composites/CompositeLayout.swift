import PersistenceSupport

/// The columns of a property whose type is a struct.
///
/// Unchecked: metatypes are not Sendable, but the layout is immutable after initialisation.
package final class CompositeLayout: @unchecked Sendable {
  private let layout: StructLayout
  private let form: any MemberForm.Type
  private let isOptional: Bool
  private let type: ObjectIdentifier
  private let size: Int
  private let alignment: Int
  /// The number of the property's columns.
  let columnCount: Int32
  /// The number of bytes of scratch memory that reading a value needs.
  let scratchSize: Int
  /// The property's columns, with the property's name as a prefix.
  package let columns: [ColumnLayout]
  /// The property, then all its members at any depth.
  package let parts: [CompositePart]

  /// Creates the layout of a property's type; nil if one column stores the whole value.
  init?(name: String, type: any Any.Type, attribute: Schema.Attribute?) {
    guard attribute?.isFlattenable ?? true, let (form, inner) = MemberForms.form(of: type), let inner else {
      return nil
    }
    self.layout = inner
    self.form = form
    self.isOptional = form.isOptional
    self.type = ObjectIdentifier(type)
    let extent = TypeExtent(type)
    self.size = extent.size
    self.alignment = extent.alignment
    columnCount = Int32(inner.columnCount(isOptional: form.isOptional))
    scratchSize = extent.size + extent.alignment + inner.paddedSize + inner.scratchSize
    var list = CompositeParts()
    list.append(CompositePart(name: name, type: type, form: form, inner: inner))
    columns = list.columns
    parts = list.parts
  }

  /// The fields of the struct.
  var fields: [StructLayout.Field] { layout.fields }

  // MARK: Rows

  // `memory` contains a value of the property's declared type. Callers first check their type with ``holds(_:)``.

  func holds(_ type: ObjectIdentifier) -> Bool { type == self.type }

  /// Initialises memory from consecutive columns; returns false after reporting a failure.
  func read(
    _ row: RowReader, _ column: Int32, _ position: Int, into memory: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    let location = location(column, position, scratch: scratch)
    return isOptional ? form.read(row, location, into: memory) : layout.read(row, location, into: memory)
  }

  /// Binds the value in memory to consecutive parameters.
  func write(_ memory: UnsafeRawPointer, _ parameter: Int32, _ position: Int, to row: inout RowWriter) {
    let location = location(parameter, position, scratch: nil)
    isOptional ? form.write(memory, to: &row, location) : layout.write(memory, to: &row, location)
  }

  /// Whether consecutive columns contain the value in memory; nil after reporting that the columns cannot be read.
  func isStored(
    _ memory: UnsafeRawPointer, _ row: RowReader, _ column: Int32, _ position: Int, scratch: UnsafeMutableRawPointer
  ) -> Bool? {
    let new = scratch.alignedUp(toMultipleOf: alignment)
    guard read(row, column, position, into: new, scratch: new + size) else { return nil }
    defer { form.deinitialize(new) }
    return form.isStored(memory, as: UnsafeRawPointer(new), layout)
  }

  /// Whether consecutive columns contain a valid value; false after reporting that they do not.
  func isReadable(_ row: RowReader, _ column: Int32, _ position: Int, scratch: UnsafeMutableRawPointer) -> Bool {
    let new = scratch.alignedUp(toMultipleOf: alignment)
    guard read(row, column, position, into: new, scratch: new + size) else { return false }
    form.deinitialize(new)
    return true
  }

  /// Whether two values of the property's type have the same stored representation; nil if either has another type.
  package func isStored(_ value: Any, as other: Any) -> Bool? {
    func isStored<Value>(_ value: Value) -> Bool? {
      guard holds(ObjectIdentifier(Value.self)), let other = other as? Value else { return nil }
      return withUnsafePointer(to: value) { value in
        withUnsafePointer(to: other) { form.isStored(UnsafeRawPointer(value), as: UnsafeRawPointer($0), layout) }
      }
    }
    return _openExistential(value, do: isStored)
  }

  private func location(_ column: Int32, _ position: Int, scratch: UnsafeMutableRawPointer?) -> MemberLocation {
    MemberLocation(column: column, position: position, isNullable: false, scratch: scratch, inner: layout)
  }
}

extension Schema.Attribute {
  /// Whether values may be stored field by field. False if an option, such as `codable`, requires another form.
  var isFlattenable: Bool {
    let harmless: [Option] = [.unique, .allowsCloudEncryption, .preserveValueOnDeletion, .spotlight]
    return options.allSatisfy(harmless.contains)
  }
}

/// A composite property, or a member of one at any depth, for queries and the schema.
///
/// Unchecked: key paths and metatypes are not Sendable as types; this struct is immutable after initialisation.
package struct CompositePart: @unchecked Sendable {
  /// A direct member of a composite: its offset in the struct, its type, and its index in ``CompositeLayout/parts``.
  package struct Member {
    let offset: Int
    let type: any Any.Type
    package let part: Int
  }

  /// The names on the path to the part, beginning with the property's.
  package let path: [String]
  package let type: any Any.Type
  package let form: any MemberForm.Type
  /// The layout of a composite.
  package let inner: StructLayout?
  /// The key path from the property's value, with optionals force-unwrapped; nil for the property itself.
  let keyPath: AnyKeyPath?
  /// The first column, relative to the property's first column.
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

  /// The name in the schema and in errors, such as `address.street`.
  package var name: String { path.joined(separator: ".") }

  /// The columns, relative to the property's first column.
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
  /// Maps each member's key path from the model to the member's column. `keyPath` is the property's key path.
  func addMembers(to meanings: inout [AnyKeyPath: KeyPathMeaning], from keyPath: AnyKeyPath) {
    for part in composite?.parts ?? [] where part.inner == nil {
      guard let path = part.keyPath, let keyPath = keyPath.appending(path: path) else { continue }
      meanings[keyPath] = .column(position, part.column)
    }
  }
}

extension CompositeLayout {
  /// Finds the part of a member by its offset and type. The search descends into structs that are not optional.
  package func member(of part: Int, at offset: Int, type: any Any.Type) -> Int? {
    let members = parts[part].members
    if let member = members.first(where: { $0.offset == offset && $0.type == type }) { return member.part }
    let around = members.last { member in
      member.offset <= offset && parts[member.part].inner != nil && !parts[member.part].form.isOptional
    }
    return around.flatMap { self.member(of: $0.part, at: offset - $0.offset, type: type) }
  }
}

/// The layouts of an entity's composite properties by position, for loops over rows.
///
/// Access changes no reference counts: the caller retains the entity's layout, which owns this table.
@usableFromInline
struct CompositeTable {
  private let layouts: UnsafeMutableBufferPointer<Unmanaged<CompositeLayout>?>

  /// Retains the layouts until ``deallocate()``.
  init(_ properties: [PropertyLayout]) {
    guard properties.contains(where: { $0.composite != nil }) else {
      layouts = UnsafeMutableBufferPointer(start: nil, count: 0)
      return
    }
    layouts = .allocate(capacity: properties.count)
    _ = layouts.initialize(from: properties.map { $0.composite.map(Unmanaged.passRetained) })
  }

  func deallocate() {
    for layout in layouts { layout?.release() }
    layouts.deallocate()
  }

  /// The layout of a property; nil if it is not a composite.
  subscript(position: Int) -> Unmanaged<CompositeLayout>? {
    layouts.indices.contains(position) ? layouts[position] : nil
  }
}

/// Collects conditions that compare the members of a composite with values.
///
/// The predicate compiler conforms to this protocol, so that this module does not depend on predicates.
package protocol MemberEquality {
  /// Appends a column or an operator.
  mutating func append(_ node: QueryNode)

  /// Appends a value in its stored representation.
  mutating func appendComparable<Value>(_ value: Value) throws(UntranslatableExpression)

  /// Appends a comparison of a node with nil.
  mutating func appendNilTest(of node: QueryNode, _ comparison: QueryNode)
}
