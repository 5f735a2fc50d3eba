import PersistenceRuntime

extension ModelContext {
  /// What a save does with a row that another context or process has changed since this context read it. Ours.
  ///
  /// A property that only one side changed is never in conflict: the save writes this context's change, or the context
  /// takes the other side's change. The policy decides about properties that both sides changed, and about deletions.
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
    /// If both sides changed a property, the value of `keeping` is kept, and ``ModelContext/resolvedConflicts`` lists
    /// the conflict. A model that this context deletes is deleted, even if it was changed elsewhere. A model that was
    /// deleted elsewhere stays deleted on both sides, because its row cannot be restored from partial values. After the
    /// save, its `isDeleted` is true, it keeps its last values, and it is in no relationship. References to it become
    /// nil. For a required reference the save throws `SwiftDataError.modelValidationFailure`, which names both models.
    case mergeByProperty(keeping: Side)

    /// The save throws `SwiftDataError.conflictingChanges` and saves nothing.
    ///
    /// The error names every property with three values: as read by this context, in this context, and in the store.
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

extension ModelContext {
  /// A conflict with changes of another context or process, which a save resolved by the policy of its context. Ours.
  ///
  /// Values are given as text, because models must not leave their context. Values of encrypted attributes are omitted.
  public struct SaveConflict: Sendable, Hashable {
    /// The changes of the two sides.
    public enum Kind: Sendable, Hashable {
      /// Both sides changed a property to different values.
      case changedTwice
      /// This context deletes the model, and it was changed elsewhere.
      case deletedHere
      /// This context changed the model, and it was deleted elsewhere. If the conflict has a property name, it names a
      /// relationship to another model, and that other model was deleted elsewhere.
      case deletedElsewhere
    }

    /// The changes of the two sides.
    public let kind: Kind
    /// The identifier of the model.
    public let persistentModelID: PersistentIdentifier
    /// The entity of the model.
    public let entityName: String
    /// The property that both sides changed. For a model that this context deleted, it is the first property that was
    /// changed elsewhere; for a deleted target, it is the relationship to the target.
    public let propertyName: String?
    /// The value as this context read it.
    public let read: String?
    /// The value in this context.
    public let ours: String?
    /// The value that the store had before the save.
    public let theirs: String?
  }
}

extension ModelContext.SaveConflict: CustomStringConvertible {
  private var model: String { "\(entityName) \(persistentModelID.primaryKeyText)" }

  /// The model and the property, without values.
  var path: String {
    model + (propertyName.map { ".\($0)" } ?? (kind == .deletedElsewhere ? " (deleted elsewhere)" : ""))
  }

  /// The model, the property and the values, as a sentence.
  public var description: String {
    switch kind {
    case .changedTwice:
      return "\(path) was \(read ?? "nil") when it was read, is \(ours ?? "nil") here, and was changed to "
        + "\(theirs ?? "nil") elsewhere"
    case .deletedHere:
      return "\(model) is deleted here, and its \(propertyName ?? "row") was changed from "
        + "\(read ?? "nil") to \(theirs ?? "nil") elsewhere"
    case .deletedElsewhere:
      guard propertyName != nil else { return "\(model) was changed here, and deleted elsewhere" }
      return "\(path) leads here to \(ours ?? "a model"), which was deleted elsewhere"
    }
  }
}
