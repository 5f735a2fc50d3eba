/// The observed ends that a change of a relationship sets besides the first one.
///
/// An observer that runs between two ends finds them in disagreement, and what it sets, saves or rolls back makes the
/// rest of the change wrong. So none runs there: all are notified before the first end is set, and the change is
/// computed anew from what they leave. Ends that are found after the last round are notified when all are set.
///
/// Confined to the isolation of the models.
package struct AnnouncedEnds {
  private struct End: Hashable {
    let model: ObjectIdentifier
    let position: Int
  }

  /// The number of rounds. Observers may change each time which ends there are.
  private static let mostRounds = 8

  private var ends: ContiguousArray<(model: any PersistentModel, position: Int)> = []
  private var known: Set<End> = []
  /// The number of ends whose observers were notified.
  private var announced = 0
  private var rounds = 0

  package init() {}

  package var isEmpty: Bool { ends.isEmpty }

  /// Adds an end, if it is observed.
  package mutating func add(_ model: any PersistentModel, _ position: Int) {
    guard model._$isObserved, known.insert(End(model: ObjectIdentifier(model), position: position)).inserted
    else { return }
    ends.append((model, position))
  }

  /// Notifies the observers of the ends that were added since the last round.
  ///
  /// - Parameter prepare: Runs before the first of them.
  /// - Returns: Whether there were any.
  package mutating func announce(_ prepare: () -> Void) -> Bool {
    guard announced < ends.count, rounds < Self.mostRounds else { return false }
    let news = ends[announced...]
    (announced, rounds) = (ends.count, rounds + 1)
    prepare()
    for end in news { notify(.willSet, end.model, end.position) }
    return true
  }

  /// Sets the ends without notifying their observers.
  package func apply(_ change: () -> Void) {
    for end in ends { end.model._$state.pointee.observation?.isAnnounced = true }
    change()
    for end in ends { end.model._$state.pointee.observation?.isAnnounced = false }
  }

  /// Ends the notifications, after all ends are set.
  package func conclude() {
    for (index, end) in ends.enumerated() {
      if index >= announced { notify(.willSet, end.model, end.position) }
      notify(.didSet, end.model, end.position)
    }
  }

  private func notify(_ kind: RelationshipSlotOperation.Kind, _ model: any PersistentModel, _ position: Int) {
    var operation = RelationshipSlotOperation(kind)
    model._$relate(&operation, position)
  }
}
