import PersistenceRuntime

/// Notices whether observers roll back in the midst of a change of a relationship.
///
/// A change sets one end, then the other ends, and notifies the observers of each. A rollback by one of them discards the
/// ends that are set, but not those that are set afterwards. So the change is made once more, from what the rollback has
/// restored: the new value comes after the rollback, as that of an attribute does (decision 52).
struct RollbackWatch {
  /// The number of times after which a change is left as it is: an observer that observes again may roll back each time.
  private static let mostAttempts = 8

  private let context: ModelContext?
  private var count = 0
  private var attempts = 0

  init(in context: ModelContext?) { self.context = context }

  init(of model: some PersistentModel) { self.init(in: model._$state.pointee.identityMap?.context) }

  /// Whether this is not the first attempt, so that other ends may be set already.
  var isRepeated: Bool { attempts > 1 }

  /// Whether there was a rollback since the last note.
  var hasRolledBack: Bool { context.map { $0.rollbackCount != count } ?? false }

  mutating func begin() {
    attempts += 1
    note()
  }

  /// Takes rollbacks until now for known.
  mutating func note() { count = context?.rollbackCount ?? 0 }

  /// Whether the change has to be made once more.
  var mustRepeat: Bool {
    guard hasRolledBack, let context else { return false }
    guard attempts < Self.mostAttempts else {
      context.logger.error(
        """
        observers rolled back \(attempts) times while a relationship was changed: its ends may not agree until the next \
        rollback
        """)
      return false
    }
    return true
  }
}
