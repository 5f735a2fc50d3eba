/// What kind of type a type is.
///
/// Unsafe code, because only the metadata of a type says so. It holds because the first word of all metadata is its kind, as
/// Swift's binary interface has it. Other words have other meanings for each kind, and are not looked at here.
enum MetadataKind {
  static func isStruct(_ type: any Any.Type) -> Bool {
    let metadata = unsafe unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    return unsafe metadata[0] == 0x200
  }
}
