extension ModelContext {
  /// What a save does about a row that another context or process has changed since it was read. Ours.
  ///
  /// A property that only one side changed is never in conflict: the save writes the changes of this context, and the
  /// others are applied to it. The policy decides about properties that both sides changed, and about deletions.
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
    /// The side whose value is kept if both changed a property.
    public enum Side: Sendable, Hashable {
      /// The value of this context.
      case ours
      /// The value of the store.
      case theirs
    }

    /// Merges by property.
    ///
    /// For a property that both sides changed, the value of `keeping` is kept, and ``ModelContext/resolvedConflicts``
    /// lists the conflict. A model that this context deletes is deleted, whatever others changed. A model that others
    /// deleted stays deleted, on either side, because its row cannot be restored from partial values: after the save
    /// its `isDeleted` is true, it keeps its last values, and it is in no relationship. References to it become nil;
    /// for a required one the save throws `SwiftDataError.modelValidationFailure`, which names both models.
    case mergeByProperty(keeping: Side)

    /// The save throws `SwiftDataError.conflictingChanges` and saves nothing.
    ///
    /// The error names every property with three values: as it was read, in this context, and in the store.
    case throwError
  }
}

extension ModelContext.ConflictPolicy: CustomStringConvertible {
  /// The case in source form.
  public var description: String {
    switch self {
    case .mergeByProperty(keeping: .ours): "mergeByProperty(keeping: .ours)"
    case .mergeByProperty(keeping: .theirs): "mergeByProperty(keeping: .theirs)"
    case .throwError: "throwError"
    }
  }
}
