import PersistenceSupport

extension _PersistenceRuntime {
  /// Where a row is, for the initialiser of a model that is an actor: the compiler lets only Sendable values into one.
  public struct RowPlace: @unchecked Sendable {
    // Unchecked: a place is used by the initialiser alone that it is made for, while the caller waits.
    private let pointer: UnsafeMutablePointer<RowReader>

    /// The row.
    public var reader: _PersistenceRuntime.RowReader {
      get { unsafe pointer.pointee }
      nonmutating _modify { yield unsafe &pointer.pointee }
    }

    /// Makes a model of a row.
    public static func with<Model>(
      _ row: inout _PersistenceRuntime.RowReader, _ make: (_PersistenceRuntime.RowPlace) -> Model
    ) -> Model {
      unsafe withUnsafeMutablePointer(to: &row) { unsafe make(RowPlace(pointer: $0)) }
    }
  }
}
