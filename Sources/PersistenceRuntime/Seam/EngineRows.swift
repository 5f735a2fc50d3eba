import PersistenceSupport

/// A row of a statement that the engine did not write.
package struct RefusedRow: Sendable {
  /// The number of steps before the row's.
  package let index: Int
  /// The code that `step` would have returned, an argument of ``EngineStatement/error``.
  package let code: Int32

  package init(index: Int, code: Int32) {
    self.index = index
    self.code = code
  }
}

/// The rows of a fetch as an engine hands them over.
///
/// Texts and numbers are those that were written, also where the engine keeps them in another form (``OriginalNotes``).
package struct EngineRows {
  package let row: OpaquePointer
  /// Valid for the life of the engine.
  package let functions: UnsafePointer<ColumnReadFunctions>
  /// Maps an error code of `step` to an error.
  package let error: (Int32) -> SwiftDataError
  /// Reads external values.
  package let externalValues: (any ExternalValueReader)?
  /// Decrypts values.
  package let cipher: (any ValueCipher)?
  /// Whether the engine has made the first step, so that the first row is there; else a step leads to it.
  package let isOnFirstRow: Bool

  package init(
    row: OpaquePointer, functions: UnsafePointer<ColumnReadFunctions>, error: @escaping (Int32) -> SwiftDataError,
    externalValues: (any ExternalValueReader)? = nil, cipher: (any ValueCipher)? = nil, isOnFirstRow: Bool = false
  ) {
    self.isOnFirstRow = isOnFirstRow
    self.row = row
    self.functions = functions
    self.error = error
    self.externalValues = externalValues
    self.cipher = cipher
  }
}

/// A statement that an engine lends.
package struct EngineStatement {
  /// The result of `step` if the row to update does not exist.
  package static let missingRowCode: Int32 = -1

  package let statement: OpaquePointer
  /// Valid for the life of the engine.
  package let functions: UnsafePointer<ColumnWriteFunctions>
  /// Maps an error code of `step` or a column to an error.
  package let error: (Int32) -> SwiftDataError
  /// Whether an error code of `step` is a uniqueness violation.
  package let isConflict: (Int32) -> Bool
  /// Stores external values; nil if all values stay in rows.
  package let externalValues: (any ExternalValueWriter)?
  /// Encrypts values.
  package let cipher: (any ValueCipher)?
  /// Whether texts are bound in their stored form (``StoredText``), and -0.0 as 0; else values are bound as they are.
  package let storesForms: Bool
  /// Takes the values whose stored form differs from them; nil if they are not kept.
  package let originals: OriginalNotes?

  package init(
    statement: OpaquePointer, functions: UnsafePointer<ColumnWriteFunctions>,
    isConflict: @escaping (Int32) -> Bool = { _ in false }, externalValues: (any ExternalValueWriter)? = nil,
    cipher: (any ValueCipher)? = nil, storesForms: Bool = true, originals: OriginalNotes? = nil,
    error: @escaping (Int32) -> SwiftDataError
  ) {
    self.storesForms = storesForms
    self.originals = originals
    self.isConflict = isConflict
    self.statement = statement
    self.functions = functions
    self.error = error
    self.externalValues = externalValues
    self.cipher = cipher
  }
}
