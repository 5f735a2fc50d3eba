@_spi(Reflection) import Swift

/// Where the stored properties of classes are.
package enum ClassFields {
  /// The option by which reflection takes classes.
  private static let ofClass: UInt32 = 1

  /// How far a field of one of the names is from the beginning of an object; 0 when nothing is known of it.
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
