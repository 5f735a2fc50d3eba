import PersistenceSupport

/// Tests which types are stored as their raw values.
///
/// A program may make any type `RawRepresentable`, commonly dates and arrays. Those keep their storage, so code that
/// decides by type at run time asks here, and agrees with the ranks of the overloads (``_$Rank1``).
package enum RawStorage {
  /// The type, if it is stored as its raw value, provided that a column stores that.
  package static func type(of type: any Any.Type) -> (any RawRepresentable.Type)? {
    guard let raw = type as? any RawRepresentable.Type else { return nil }
    let isOther =
      type is any StorableValue.Type || type is any StandardCodable.Type || type is any OptionalValue.Type
      || type is any PersistentModel.Type
    return isOther ? nil : raw
  }

  /// The value, if it is stored as its raw value.
  package static func value(of value: Any) -> (any RawRepresentable)? {
    guard let raw = value as? any RawRepresentable, type(of: Swift.type(of: value)) != nil else { return nil }
    return raw
  }
}

extension RawRepresentable {
  /// The value of a raw value with U+0000 or U+0001, which is text of which no original is kept (``OriginalNotes``).
  @usableFromInline
  package static func _$value(ofEscaped stored: RawValue) -> Self? {
    guard let form = stored as? String else { return nil }
    let text = StoredText.original(ofForm: form)
    guard text.utf8.count != form.utf8.count else { return nil }
    return (text as? RawValue).flatMap { Self(rawValue: $0) }
  }
}
