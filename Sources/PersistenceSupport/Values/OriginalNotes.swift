/// The values of a batch of rows whose stored form differs from them, for the engine to keep beside the rows.
///
/// The form of a text is its ``StoredText/form(of:)``, that of -0.0 is 0. An engine whose columns hold these forms keeps
/// the values themselves as originals, each with the row and the column that it belongs to, in the transaction of the
/// rows. An original counts only while the column has its form: another program that changes the column need not know
/// of it.
///
/// Confined to the transaction that lends it with its statements.
package final class OriginalNotes {
  /// One original.
  package struct Note: Sendable {
    /// The number of objects of the batch before the row's.
    package let row: Int
    /// The key of the row. The one of an upsert may be another.
    package let key: Int64
    /// The parameter of the statement that has the form.
    package let parameter: Int32
    /// The text, or ``negativeZero``.
    package let original: String

    package init(row: Int, key: Int64, parameter: Int32, original: String) {
      self.row = row
      self.key = key
      self.parameter = parameter
      self.original = original
    }
  }

  /// The original of -0.0.
  package static let negativeZero = "-0.0"

  private var notes: [Note] = []
  /// Whether ``keys`` are wanted, to remove the originals of former values.
  package private(set) var wantsKeys = false
  /// The keys of all rows of the batch.
  package private(set) var keys: [Int64] = []

  package init() {}

  package var isEmpty: Bool { notes.isEmpty }

  /// Begins a batch.
  package func begin(wantsKeys: Bool = false) {
    if !notes.isEmpty { notes = [] }
    if !keys.isEmpty { keys = [] }
    self.wantsKeys = wantsKeys
  }

  package func note(_ note: Note) { notes.append(note) }

  package func note(keys: [Int64]) { self.keys += keys }

  /// Forgets the originals of a row that was not written.
  package func discard(rowAt index: Int) {
    if !notes.isEmpty { notes.removeAll { $0.row == index } }
  }

  /// Returns and clears the originals.
  package func take() -> [Note] {
    guard !notes.isEmpty else { return [] }
    defer { notes = [] }
    return notes
  }
}
