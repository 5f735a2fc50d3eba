extension ModelContext {
  /// What a save does about a row that was changed elsewhere since this context read it: by another context, or by
  /// another process.
  ///
  /// A property that was changed on one side alone is never in question: what was changed here is saved, and what was
  /// changed elsewhere is taken over. The policy decides about the rest.
  ///
  /// ```swift
  /// context.conflictPolicy = .throwError
  /// do {
  ///   try context.save()
  /// } catch SwiftDataError.conflictingChanges {
  ///   context.rollback()  // reads what the others saved
  /// }
  /// ```
  public enum ConflictPolicy: Sendable, Hashable {
    /// Whose value stays when both changed one property.
    public enum Side: Sendable, Hashable {
      /// What this context saves.
      case ours
      /// What the store has.
      case theirs
    }

    /// Merges property by property.
    ///
    /// Of a property that both changed, the value of one side stays, and ``ModelContext/resolvedConflicts`` tells of
    /// the other. A model that is deleted here is deleted, whatever was changed in it elsewhere. One that was deleted
    /// elsewhere stays deleted, whichever side's values are kept, since half a row cannot be brought back: after the
    /// save it says so by `isDeleted`, reads as its last values, and is in no relationship any more. What led to it
    /// leads to nothing; where it has to lead somewhere, the save throws `SwiftDataError.modelValidationFailure` and
    /// names both.
    case mergeByProperty(keeping: Side)

    /// The save throws `SwiftDataError.conflictingChanges`, which names every property, with the three values that it
    /// had: as it was read, here, and in the store. Nothing is saved then.
    case throwError
  }
}

extension ModelContext.ConflictPolicy: CustomStringConvertible {
  public var description: String {
    switch self {
    case .mergeByProperty(keeping: .ours): "mergeByProperty(keeping: .ours)"
    case .mergeByProperty(keeping: .theirs): "mergeByProperty(keeping: .theirs)"
    case .throwError: "throwError"
    }
  }
}
