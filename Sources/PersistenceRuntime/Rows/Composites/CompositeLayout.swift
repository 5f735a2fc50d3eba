/// How a property whose value is a struct is laid out in columns.
///
/// Unchecked, because metatypes are not Sendable; nothing is changed after it is made.
package final class CompositeLayout: @unchecked Sendable {
  private let layout: StructLayout
  private let form: any MemberForm.Type
  private let isOptional: Bool
  private let type: ObjectIdentifier
  private let size: Int
  private let alignment: Int
  /// How many columns the property has.
  let columnCount: Int32
  /// How much memory reading a value needs.
  let scratchSize: Int
  /// The columns of the property, named after it.
  package let columns: [ColumnLayout]
  /// The property and all the members in it, at any depth; the property is the first.
  package let parts: [CompositePart]

  /// The layout of a property of a declared type; nil when one column holds it.
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

  // Memory is that of a value of the property's declared type, which whoever has it names, and is told when it is not.

  func holds(_ type: ObjectIdentifier) -> Bool { type == self.type }

  /// Initialises memory with the value that columns from one on hold; false after reporting why there is none.
  func read(
    _ row: RowReader, _ column: Int32, _ position: Int, into memory: UnsafeMutableRawPointer,
    scratch: UnsafeMutableRawPointer
  ) -> Bool {
    let place = place(column, position, scratch: scratch)
    return isOptional ? form.read(row, place, into: memory) : layout.read(row, place, into: memory)
  }

  /// Writes the value in memory to the parameters from one on.
  func write(_ memory: UnsafeRawPointer, _ parameter: Int32, _ position: Int, to row: inout RowWriter) {
    let place = place(parameter, position, scratch: nil)
    isOptional ? form.write(memory, to: &row, place) : layout.write(memory, to: &row, place)
  }

  /// Whether columns from one on hold what the value in memory is stored as; nil after reporting that they hold none.
  func isStored(
    _ memory: UnsafeRawPointer, _ row: RowReader, _ column: Int32, _ position: Int, scratch: UnsafeMutableRawPointer
  ) -> Bool? {
    let new = scratch.alignedUp(toMultipleOf: alignment)
    guard read(row, column, position, into: new, scratch: new + size) else { return nil }
    defer { form.deinitialize(new) }
    return form.isStored(memory, as: UnsafeRawPointer(new), layout)
  }

  private func place(_ column: Int32, _ position: Int, scratch: UnsafeMutableRawPointer?) -> MemberPlace {
    MemberPlace(column: column, position: position, isNullable: false, scratch: scratch, inner: layout)
  }
}

extension Schema.Attribute {
  /// Whether a value may be taken apart: an option that has its own idea of how a value is stored forbids it.
  var isFlattenable: Bool {
    let harmless: [Option] = [.unique, .allowsCloudEncryption, .preserveValueOnDeletion, .spotlight]
    return options.allSatisfy(harmless.contains)
  }
}
