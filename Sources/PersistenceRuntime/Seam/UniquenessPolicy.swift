import PersistenceSupport

extension _PersistenceRuntime {
  /// What a save does with a new model whose unique values another row has. Ours, not Apple's.
  public enum UniquenessPolicy: Hashable, Sendable {
    /// The row takes the values of the new model, which stands for it from then on. Apple's behaviour.
    case updateExisting
    /// The save throws `SwiftDataError.modelValidationFailure` that names the properties and the values.
    case throwError
  }
}
