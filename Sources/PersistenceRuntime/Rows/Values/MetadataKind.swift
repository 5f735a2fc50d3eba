/// Tests the kind of a type.
///
/// Unsafe: it reads metadata. Sound, because the ABI defines the first word of all metadata as its kind. No other word
/// is read, since their meaning depends on the kind.
enum MetadataKind {
  static func isStruct(_ type: any Any.Type) -> Bool {
    let metadata = unsafe unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    return unsafe metadata[0] == 0x200
  }
}
