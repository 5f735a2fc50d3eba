import Foundation
import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

/// Registers the changes of a context with its undo manager, in steps. Only used on the context's thread or actor.
///
/// A step begins with the first change. It ends when the manager opens or closes a group, or at the end of an event.
final class UndoRecorder {
  let undoManager: UndoManager
  private unowned let context: ModelContext
  /// The current step; nil until its first change.
  private var step: UndoStep?
  private var observers: [any NSObjectProtocol] = []
  private var pauses = 0
  /// The steps that the undo manager may still contain.
  private var steps: [WeakStep] = []
  /// If ``steps`` has this many entries, the entries of released steps are removed.
  private var pruneLimit = 64
  /// For each running transaction, the number of ``steps`` at its beginning.
  private var transactions: [Int] = []

  private struct WeakStep {
    weak var step: UndoStep?
  }

  init(_ undoManager: UndoManager, of context: ModelContext) {
    self.undoManager = undoManager
    self.context = context
    osd_begin_recording()
    let reference = UndoRecorderReference(self)
    for name in [NSNotification.Name.NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup] {
      observers.append(
        NotificationCenter.default.addObserver(forName: name, object: undoManager, queue: nil) { _ in
          reference.recorder?.endStep()
        })
    }
  }

  deinit {
    osd_end_recording()
    for observer in observers { NotificationCenter.default.removeObserver(observer) }
    undoManager.removeAllActions(withTargets: steps.compactMap(\.step))
  }

  // MARK: Recording

  func willInsert(_ model: some PersistentModel, in map: IdentityMap) {
    currentStep()?.noteInsertion(of: model, in: map)
  }

  func willDelete(_ model: some PersistentModel, in map: IdentityMap) {
    currentStep()?.noteDeletion(of: model, in: map)
  }

  func willChange<T: PersistentModel>(_ model: T, at position: Int, in map: IdentityMap) {
    let state = model._$state
    // During an in-place change the slot is empty. The value was recorded when the change began.
    let isInPlace = state.pointee.extras?.modified.isEmpty == false
    guard !isInPlace, state.pointee.flags.isDisjoint(with: [.gone, .unlinked]) else { return }
    currentStep()?.noteChange(of: model, at: position, in: map)
  }

  /// Forgets an insertion: the save updated an existing row with the object's values. An undo must not delete this row.
  func didReplaceRow(_ model: AnyObject) {
    for known in steps { known.step?.forgetInsertion(of: model) }
  }

  /// Completes a deletion after a relationship that it failed to read became readable. The step that recorded the
  /// deletion also records these changes, so that one undo restores everything.
  func resume<T: PersistentModel>(deletionOf model: T, at position: Int, in map: IdentityMap, _ body: () -> Void) {
    guard let own = steps.lazy.compactMap(\.step).last(where: { $0.hasDeletion(of: model) }) else { return body() }
    own.completeDeletion(of: model, at: position, in: map)
    let current = step
    step = own
    body()
    step = current
  }

  /// Whether changes are recorded now.
  var isRecording: Bool { pauses == 0 && undoManager.isUndoRegistrationEnabled }

  private func currentStep() -> UndoStep? {
    guard isRecording else { return nil }
    if let step { return step }
    let made = UndoStep()
    undoManager.registerUndo(withTarget: made) { [weak self, made] _ in self?.revert(made) }
    // `step` is set last, because the registration may open a group, which ends the current step.
    step = made
    if steps.count >= pruneLimit, transactions.isEmpty {
      steps.removeAll { $0.step == nil }
      // If the manager still keeps all steps, nothing was removed, so the limit doubles.
      pruneLimit = max(64, steps.count * 2)
    }
    steps.append(WeakStep(step: made))
    return made
  }

  private func revert(_ step: UndoStep) {
    endStep()
    step.revert(in: context)
    endStep()
  }

  // MARK: Steps

  func endStep() {
    guard let ended = step else { return }
    step = nil
    // An empty step is removed, because its undo would have no visible effect.
    if ended.isVoid(in: context) { undoManager.removeLatestAction(withTarget: ended) }
  }

  /// Ends the step, and closes the undo group of the current event.
  func endEvent() {
    endStep()
    guard !undoManager.isUndoing, !undoManager.isRedoing else { return }
    #if !canImport(Darwin)
      undoManager.closeEventGroup()
    #endif
  }

  func beginTransaction() {
    endEvent()
    undoManager.beginUndoGrouping()
    transactions.append(steps.count)
  }

  /// - Parameter succeeds: False if the transaction has thrown, so that its steps are removed.
  func endTransaction(succeeds: Bool) {
    endStep()
    let start = transactions.popLast() ?? steps.count
    if !succeeds {
      // Removes the last step first, because the manager searches for a step from the end.
      for known in steps[min(start, steps.count)...].reversed() {
        known.step.map { undoManager.removeLatestAction(withTarget: $0) }
      }
    }
    undoManager.endUndoGrouping()
    endEvent()
  }

  /// Removes all steps after a rollback.
  func forgetAll() {
    guard pauses == 0 else { return }
    endStep()
    steps.removeAll()
    undoManager.removeAllActions()
  }

  /// Executes code whose changes are not recorded.
  func pause<Result>(_ body: () throws -> Result) rethrows -> Result {
    pauses += 1
    defer { pauses -= 1 }
    return try body()
  }
}

/// A weak reference to a recorder for the observers of its undo manager.
private final class UndoRecorderReference: @unchecked Sendable {
  // Unchecked: an undo manager posts notifications on the thread that uses it, which is the thread of the context.
  weak var recorder: UndoRecorder?

  init(_ recorder: UndoRecorder) { self.recorder = recorder }
}

extension PersistentModel {
  /// Records the value of a property before a change, for an undo and for a running save.
  @usableFromInline
  func _$recordChange(at position: Int) {
    guard let map = _$state.pointee.identityMap else { return }
    guard let context = map.ownContext else { return }
    context.watch?.noteChange(PropertyMask.bit(position), of: ObjectIdentifier(map.modelType))
    if context.notesLateChanges { context.noteLateChange(of: self, at: position, in: map) }
    if !context.isHidden { context.undoRecorder?.willChange(self, at: position, in: map) }
  }
}

extension ModelContext {
  /// The undo manager that records the changes of the context; nil, the default, for none. Apple's.
  ///
  /// The manager records insertions, deletions with their cascades, changes of properties, and both sides of
  /// relationships with their order. A save removes no steps: the undo of a saved step makes changes that the next save
  /// writes. The undo of a saved deletion restores the same object with the same identifier. Changes are not recorded
  /// if they were made before the manager was set, or while its registration was disabled.
  ///
  /// A ``transaction(block:)`` is one step. Otherwise a step ends with ``save()``, with ``processPendingChanges()``,
  /// when the manager opens or closes a group, and on the main actor at the end of the event. ``rollback()`` empties
  /// the manager, and a transaction that throws leaves no step. Use the manager only on the context's thread or actor.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// trip.name = "Oslo"
  /// try context.save()
  /// context.undoManager?.undo()  // restores trip.name; the change is pending
  /// ```
  public var undoManager: UndoManager? {
    get { undoRecorder?.undoManager }
    set {
      guard newValue !== undoRecorder?.undoManager else { return }
      undoRecorder = newValue.map { UndoRecorder($0, of: self) }
    }
  }

  /// Ends the current undo step, so that later changes form another step. Apple's. It has no other effect.
  public func processPendingChanges() {
    undoRecorder?.endEvent()
  }

  func withoutUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let undoRecorder else { return try body() }
    return try undoRecorder.pause(body)
  }
}
