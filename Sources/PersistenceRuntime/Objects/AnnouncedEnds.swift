/// The observed ends that a change of a relationship sets besides the first one.
///
/// An observer that runs between two ends finds them in disagreement, and what it sets, saves or rolls back makes the
/// rest of the change wrong. So none runs there: all are notified before the first end is set, and the change is
/// computed anew from what they leave. Ends that are found after the last round hear of it, too late, when all are set.
///
/// Confined to the isolation of the models.
@usableFromInline
package struct AnnouncedEnds {
  /// The ends; nil before the first, since hardly any change has one.
  @usableFromInline var rounds: AnnouncementRounds?

  @inlinable package init() {}

  @inlinable package var isEmpty: Bool { rounds == nil }

  /// Adds an end, if it is observed.
  package mutating func add(_ model: any PersistentModel, _ position: Int) {
    guard model._$isObserved else { return }
    let known = rounds ?? AnnouncementRounds()
    rounds = known
    known.add(model, position)
  }

  /// Notifies the observers of the ends that were added since the last round.
  ///
  /// - Parameter prepare: Runs before the first of them.
  /// - Returns: Whether there were any.
  package func announce(_ prepare: () -> Void) -> Bool { rounds?.announce(prepare) ?? false }

  /// Sets the ends without notifying their observers.
  @inlinable
  package func apply(_ change: () -> Void) {
    guard let rounds else { return change() }
    rounds.silence(true)
    change()
    rounds.silence(false)
  }

  /// Ends the notifications, after all ends are set.
  @inlinable
  package func conclude() {
    if let rounds { rounds.conclude() }
  }
}

/// The rounds in which observers are notified of one change. Confined to the isolation of the models.
@usableFromInline
final class AnnouncementRounds {
  private struct End: Hashable {
    let model: ObjectIdentifier
    let position: Int
  }

  /// The number of rounds. Observers may change each time which ends there are.
  private static let most = 8

  private var ends: ContiguousArray<(model: any PersistentModel, position: Int)> = []
  private var known: Set<End> = []
  /// The number of ends whose observers were notified.
  private var announced = 0
  private var count = 0

  func add(_ model: any PersistentModel, _ position: Int) {
    guard known.insert(End(model: ObjectIdentifier(model), position: position)).inserted else { return }
    ends.append((model, position))
  }

  func announce(_ prepare: () -> Void) -> Bool {
    guard announced < ends.count, count < Self.most else { return false }
    let news = ends[announced...]
    (announced, count) = (ends.count, count + 1)
    prepare()
    for end in news { notify(.willSet, end.model, end.position) }
    return true
  }

  @usableFromInline
  func silence(_ isSilent: Bool) {
    for end in ends { end.model._$state.pointee.observation?.isAnnounced = isSilent }
  }

  @usableFromInline
  func conclude() {
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
