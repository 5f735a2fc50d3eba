// What a context does not do, and says with the next save, because the calls that ask for it cannot throw.

extension ModelContext {
  func refuse<T: PersistentModel>(insertionOf model: T) {
    refusals.append(
      SwiftDataError(
        .modelOfAnotherContext,
        "\(describe(model)) belongs to another context and was not inserted into this one; "
          + "look it up here by its persistentModelID, or insert a copy"))
  }

  func refuse<T: PersistentModel>(deletionOf model: T) {
    refusals.append(
      SwiftDataError(
        .modelOfAnotherContext,
        "\(describe(model)) belongs to another context and was not deleted by this one; "
          + "delete it in its own context, or look it up here by its persistentModelID first"))
  }

  func refuse<T: PersistentModel, U: PersistentModel>(relating model: T, to other: U, property: String) {
    refusals.append(
      SwiftDataError(
        .modelOfAnotherContext,
        "\(describe(model)).\(property) was not set to \(describe(other)), which belongs to another context; "
          + "look that model up in this context by its persistentModelID"))
  }

  private func describe<T: PersistentModel>(_ model: T) -> String {
    "\(T.self) \(model.persistentModelID.primaryKeyText)"
  }

  /// Throws what was refused since the last save.
  func throwRefusals() throws {
    guard let first = refusals.first else { return try throwFailedReads(isHeard: true) }
    hearRefusedReads()
    defer { refusals.removeAll() }
    guard refusals.count > 1 else { throw first }
    let explanations = refusals.compactMap(\.explanation).joined(separator: "\n")
    throw SwiftDataError(first.kind, explanations, underlying: first.underlyingError)
  }
}
