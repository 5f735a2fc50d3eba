import PersistenceSupport

/// The columns of a property whose type is a struct.
///
/// Unchecked: metatypes are not Sendable; immutable after initialisation.
package final class CompositeLayout: @unchecked Sendable {
  private let layout: StructLayout
  private let form: any MemberForm.Type
  private let isOptional: Bool
  private let type: ObjectIdentifier
  private let size: Int
  private let alignment: Int
  /// The number of the property's columns.
  let columnCount: Int32
  /// The bytes of scratch memory that reading a value needs.
  let scratchSize: Int
  /// The property's columns, with the property's name as a prefix.
  package let columns: [ColumnLayout]
  /// The property, then all its members at any depth.
  package let parts: [CompositePart]

  /// Creates the layout of a property's type; nil if one column stores it.
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

  // Memory holds a value of the property's declared type. The caller names its type, and is refused another one.

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

  /// Whether consecutive columns store the value in memory; nil after reporting that they cannot be read.
  func isStored(
    _ memory: UnsafeRawPointer, _ row: RowReader, _ column: Int32, _ position: Int, scratch: UnsafeMutableRawPointer
  ) -> Bool? {
    let new = scratch.alignedUp(toMultipleOf: alignment)
    guard read(row, column, position, into: new, scratch: new + size) else { return nil }
    defer { form.deinitialize(new) }
    return form.isStored(memory, as: UnsafeRawPointer(new), layout)
  }

  /// Whether consecutive columns hold a value; false after reporting that they do not.
  func isReadable(_ row: RowReader, _ column: Int32, _ position: Int, scratch: UnsafeMutableRawPointer) -> Bool {
    let new = scratch.alignedUp(toMultipleOf: alignment)
    guard read(row, column, position, into: new, scratch: new + size) else { return false }
    form.deinitialize(new)
    return true
  }

  /// Whether two values of the property's type have the same stored representation; nil if one is of another type.
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
  /// Whether values may be stored field by field: options that define a storage form of their own exclude it.
  var isFlattenable: Bool {
    let harmless: [Option] = [.unique, .allowsCloudEncryption, .preserveValueOnDeletion, .spotlight]
    return options.allSatisfy(harmless.contains)
  }
}
