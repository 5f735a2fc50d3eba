import PersistenceRuntime
import PersistenceSupport

// Changes that a context refuses. The calls cannot throw, so the next save does.

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

  /// Throws the changes that were refused since the last save. Only a save of the program calls it, not an autosave.
  func throwRefusals() throws {
    guard let first = refusals.first else { return try throwFailedReads(isReported: true) }
    markRefusedReadsReported()
    defer { forgetRefusals(wereThrown: true) }
    guard refusals.count > 1 else { throw first }
    let explanations = refusals.compactMap(\.explanation).joined(separator: "\n")
    throw SwiftDataError(first.kind, explanations, underlying: first.underlyingError)
  }

  package func forgetRefusals(wereThrown: Bool = false) {
    refusals.removeAll()
    reportedRefusals = 0
    if wereThrown { thrownRefusalCount += 1 }
  }

  /// Logs refused changes at an autosave, each once. They stay until a save of the program throws them.
  func reportRefusals(_ origin: SaveOrigin) {
    guard origin == .implicit, reportedRefusals < refusals.count else { return }
    for refusal in refusals[reportedRefusals...] {
      logger.error("an autosave did without what was refused; the next save() throws it: \(refusal)")
    }
    reportedRefusals = refusals.count
  }

  /// Logs the refused changes of a context that ends before a save could throw them.
  func reportLostRefusals() {
    for refusal in refusals { logger.error("a context ended before a save could throw what it refused: \(refusal)") }
  }
}

/// The errors that the next save has to report, at the beginning of a transaction that may be undone.
struct UnreportedErrors {
  private let refusals: [SwiftDataError]
  private let reported: Int
  private let thrownCount: Int
  private let orphans: OrphanList
  private let foreignReferences: [ForeignReference]
  private let uncomparedLists: [(any PersistentModel, Int)]
  private let incompleteDeletions: [IncompleteDeletion]
  /// The failed reads of changed objects.
  private var unread: [(model: any PersistentModel, reads: ContiguousArray<FailedRead>)]

  init(of context: ModelContext) {
    refusals = context.refusals
    reported = context.reportedRefusals
    thrownCount = context.thrownRefusalCount
    orphans = context.orphans
    foreignReferences = context.foreignReferences
    uncomparedLists = context.uncomparedLists
    incompleteDeletions = context.incompleteDeletions
    unread = []
    for model in context.unreadModels.compactMap(\.model) {
      let state = model._$state
      guard state.pointee.hasFailedReads, state.pointee.flags.contains(.changed), let extras = state.pointee.extras
      else { continue }
      unread.append((model: model, reads: extras.failedReads))
    }
  }

  /// Removes failed reads that succeeded since the transaction began. Called before the transaction is undone.
  mutating func dropSuccessfulReads() {
    for index in unread.indices {
      let state = unread[index].model._$state
      let reads = unread[index].reads.compactMap { state.pointee.failedRead(at: $0.position) }
      unread[index].reads = ContiguousArray(reads)
    }
  }

  /// Restores the errors, except for refused changes that a save inside of the transaction has thrown.
  func restore(in context: ModelContext) {
    if context.thrownRefusalCount == thrownCount {
      // What observers changed while the transaction was undone is refused since.
      context.refusals = refusals + context.refusals
      context.reportedRefusals = reported
    }
    context.exchange(\.orphans, for: orphans)
    context.exchange(\.foreignReferences, for: foreignReferences)
    context.exchange(\.uncomparedLists, for: uncomparedLists)
    context.exchange(\.incompleteDeletions, for: incompleteDeletions)
    for (model, reads) in unread {
      for read in reads { context.noteAgain(read, of: model) }
    }
  }
}
