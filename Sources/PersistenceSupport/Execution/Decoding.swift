import _CSwiftRuntime

extension _PersistenceRuntime {
  /// Whether an object is being made from a row on this thread, so that defaults need not be computed.
  ///
  /// Generated code asks it in the initial value of every slot.
  @inlinable
  public static func _$isDecoding() -> Bool {
    osd_is_decoding()
  }
}

extension _PersistenceRuntime {
  /// Says that the next initialiser to run on this thread makes an object from a row.
  @inlinable
  public static func _$beginDecoding() {
    osd_set_decoding(true)
  }
}
