/// Which types are stored by their raw values.
///
/// A program may give raw values to any type: to dates and arrays, usually, which some frameworks keep as text then. They
/// are stored as they always are, so whatever decides by a type at run time asks here, and decides as the ranks of the
/// overloads do (``_$Rank1``).
package enum RawStorage {
  /// The type, if it is stored by its raw value, or would be if a column held that.
  package static func type(of type: any Any.Type) -> (any RawRepresentable.Type)? {
    guard let raw = type as? any RawRepresentable.Type else { return nil }
    let isOther =
      type is any StorableValue.Type || type is any StandardCodable.Type || type is any OptionalValue.Type
      || type is any PersistentModel.Type
    return isOther ? nil : raw
  }

  /// The value, if it is stored by its raw value.
  package static func value(of value: Any) -> (any RawRepresentable)? {
    guard let raw = value as? any RawRepresentable, type(of: Swift.type(of: value)) != nil else { return nil }
    return raw
  }
}
