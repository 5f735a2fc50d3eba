import Foundation
import PersistenceRuntime
import PersistenceSupport
import _CSwiftRuntime

/// Gives the changes of a context to its undo manager, step by step.
///
/// A step begins with the first change and ends where the manager opens or closes a group, or an event ends. Confined to
/// whoever may use the context.
final class UndoRecorder {
  let undoManager: UndoManager
  private unowned let context: ModelContext
  /// The step that takes changes; nil until the next one.
  private var step: UndoStep?
  private var observers: [any NSObjectProtocol] = []
  private var pauses = 0
  /// The steps that an undo manager may still have.
  private var steps: [WeakStep] = []
  /// How many steps there may be before those are looked for that are gone.
  private var pruneLimit = 64
  /// How many steps there were when each running transaction began.
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

  // MARK: Noting

  func willInsert(_ model: some PersistentModel, in map: IdentityMap) {
    currentStep()?.noteInsertion(of: model, in: map)
  }

  func willDelete(_ model: some PersistentModel, in map: IdentityMap) {
    currentStep()?.noteDeletion(of: model, in: map)
  }

  func willChange<T: PersistentModel>(_ model: T, at position: Int, in map: IdentityMap) {
    let state = model._$state
    // A value that is being changed in place is out of its slot, and was noted when that began.
    let isInPlace = state.pointee.extras?.modified.isEmpty == false
    guard !isInPlace, state.pointee.flags.isDisjoint(with: [.gone, .unlinked]) else { return }
    currentStep()?.noteChange(of: model, at: position, in: map)
  }

  /// An object that was inserted turned out to be a row that was there before, which undoing must not delete.
  func didReplaceRow(_ model: AnyObject) {
    for known in steps { known.step?.forgetInsertion(of: model) }
  }

  /// Goes on with a deletion that could not read a relationship, in the step that has it: undoing takes all of it back.
  func resume<T: PersistentModel>(deletionOf model: T, at position: Int, in map: IdentityMap, _ body: () -> Void) {
    guard let own = steps.lazy.compactMap(\.step).last(where: { $0.hasDeletion(of: model) }) else { return body() }
    own.completeDeletion(of: model, at: position, in: map)
    let current = step
    step = own
    body()
    step = current
  }

  private func currentStep() -> UndoStep? {
    guard pauses == 0, undoManager.isUndoRegistrationEnabled else { return nil }
    if let step { return step }
    let made = UndoStep()
    undoManager.registerUndo(withTarget: made) { [weak self, made] _ in self?.revert(made) }
    // After it was registered, which may open a group.
    step = made
    if steps.count >= pruneLimit, transactions.isEmpty {
      steps.removeAll { $0.step == nil }
      // Not again before as many have come: the manager may keep them all.
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
    // A step that changes nothing would only seem not to work.
    if ended.isVoid(in: context) { undoManager.removeLatestAction(withTarget: ended) }
  }

  /// Ends what the next undo takes back at once.
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

  /// - Parameter succeeds: Whether what happened in the transaction stays.
  func endTransaction(succeeds: Bool) {
    endStep()
    let start = transactions.popLast() ?? steps.count
    if !succeeds {
      // The last first, which is where each of them is looked for.
      for known in steps[min(start, steps.count)...].reversed() {
        known.step.map { undoManager.removeLatestAction(withTarget: $0) }
      }
    }
    undoManager.endUndoGrouping()
    endEvent()
  }

  /// Forgets everything: the context returned to what the store has.
  func forgetAll() {
    guard pauses == 0 else { return }
    endStep()
    steps.removeAll()
    undoManager.removeAllActions()
  }

  /// Makes changes that are none of the user's.
  func pause<Result>(_ body: () throws -> Result) rethrows -> Result {
    pauses += 1
    defer { pauses -= 1 }
    return try body()
  }
}

/// Carries a recorder into what observes its undo manager.
private final class UndoRecorderReference: @unchecked Sendable {
  // Unchecked: undo managers post on the thread that uses them, which is the one that uses the context.
  weak var recorder: UndoRecorder?

  init(_ recorder: UndoRecorder) { self.recorder = recorder }
}

extension PersistentModel {
  /// Notes what a property is before it changes, if its context can undo or is writing a save.
  @usableFromInline
  func _$recordChange(at position: Int) {
    guard let map = _$state.pointee.identityMap, let context = map.context else { return }
    if context.notesLateChanges { context.noteLateChange(of: self, at: position, in: map) }
    context.undoRecorder?.willChange(self, at: position, in: map)
  }
}
