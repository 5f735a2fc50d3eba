import PersistenceSupport

extension _PersistenceRuntime {
  /// A pointer to a row reader, for the initialiser of a model that is an actor: its parameters must be Sendable.
  public struct RowReaderPointer: @unchecked Sendable {
    // Unchecked: only the initialiser uses it, while the caller waits.
    private let pointer: UnsafeMutablePointer<RowReader>

    /// The row reader.
    public var reader: _PersistenceRuntime.RowReader {
      get { unsafe pointer.pointee }
      nonmutating _modify { yield unsafe &pointer.pointee }
    }

    /// Creates a model from a row.
    public static func with<Model>(
      _ row: inout _PersistenceRuntime.RowReader, _ make: (_PersistenceRuntime.RowReaderPointer) -> Model
    ) -> Model {
      unsafe withUnsafeMutablePointer(to: &row) { unsafe make(RowReaderPointer(pointer: $0)) }
    }
  }
}
