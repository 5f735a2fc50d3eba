import _CSwiftRuntime

extension _PersistenceRuntime {
  /// Whether this thread is creating an object from a row, so that property defaults need not be computed.
  ///
  /// Generated code calls it in the initial value of every slot.
  @inlinable
  public static func _$isDecoding() -> Bool {
    osd_is_decoding()
  }

  /// Marks the next initialiser call on this thread as one that creates an object from a row.
  @inlinable
  public static func _$beginDecoding() {
    osd_set_decoding(true)
  }
}
