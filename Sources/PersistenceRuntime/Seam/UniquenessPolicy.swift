import PersistenceSupport

extension _PersistenceRuntime {
  /// How a save treats a new model whose unique values an existing row has. Ours.
  public enum UniquenessPolicy: Hashable, Sendable {
    /// The new model updates the row and represents it from then on, as in Apple's framework.
    case updateExisting
    /// The save throws `SwiftDataError.modelValidationFailure` with the properties and the values.
    case throwError
  }
}
