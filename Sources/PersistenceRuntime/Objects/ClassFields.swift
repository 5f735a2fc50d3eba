@_spi(Reflection) import Swift

/// Finds the offsets of the stored properties of classes.
package enum ClassFields {
  /// The reflection option for class types.
  private static let ofClass: UInt32 = 1

  /// The offset of the first field with one of the names, in bytes; 0 if there is none.
  package static func offset(of fields: [String], in type: any AnyObject.Type) -> Int {
    var result = 0
    _ = _forEachField(of: type, options: _EachFieldOptions(rawValue: Self.ofClass)) { name, offset, _, _ in
      guard fields.contains(String(cString: name)) else { return true }
      result = offset
      return false
    }
    return result
  }
}
