import PersistenceRuntime

extension ModelContext {
  /// Something that was changed here and elsewhere, which a save found out and merged by the policy of its context.
  ///
  /// Values are told as text, because models and their values may not leave their context; what is encrypted is left
  /// out.
  public struct SaveConflict: Sendable, Hashable {
    /// What the two sides did.
    public enum Kind: Sendable, Hashable {
      /// Both changed a property, and not to the same value.
      case changedTwice
      /// The model was deleted here, and changed elsewhere.
      case deletedHere
      /// The model was changed here, and deleted elsewhere; with the name of a property: the property leads here to a
      /// model that was deleted elsewhere.
      case deletedElsewhere
    }

    /// What the two sides did.
    public let kind: Kind
    /// The model in question.
    public let persistentModelID: PersistentIdentifier
    /// The entity of the model.
    public let entityName: String
    /// The property that both changed, the first of those that were changed in a model that was deleted, or the
    /// relationship that leads to a model that was.
    public let propertyName: String?
    /// The value when this context read it.
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
  var place: String {
    model + (propertyName.map { ".\($0)" } ?? (kind == .deletedElsewhere ? " (deleted elsewhere)" : ""))
  }

  public var description: String {
    switch kind {
    case .changedTwice:
      return "\(place) was \(read ?? "nil") when it was read, is \(ours ?? "nil") here, and was changed to "
        + "\(theirs ?? "nil") elsewhere"
    case .deletedHere:
      return "\(model) is deleted here, and its \(propertyName ?? "row") was changed from "
        + "\(read ?? "nil") to \(theirs ?? "nil") elsewhere"
    case .deletedElsewhere:
      guard propertyName != nil else { return "\(model) was changed here, and deleted elsewhere" }
      return "\(place) leads here to \(ours ?? "a model"), which was deleted elsewhere"
    }
  }
}
