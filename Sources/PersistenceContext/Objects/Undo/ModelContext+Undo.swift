import Foundation
import PersistenceSupport

extension ModelContext {
  /// The undo manager that records the changes of the context; nil, the default, for none. Apple's.
  ///
  /// It records insertions, deletions with their cascades, changes of properties, and both ends of relationships with
  /// their order, whether saved or not. Undoing after a save makes changes that the next save writes. A model whose
  /// deletion was saved returns as the same object with the same identifier. Changes from before the manager was set,
  /// or while its registration was disabled, are not recorded.
  ///
  /// A ``transaction(block:)`` is one step. Otherwise a step ends with ``save()``, with ``processPendingChanges()``,
  /// where the manager opens or closes a group, and on the main actor at the end of the event. ``rollback()`` empties
  /// the manager, and a transaction that throws leaves no step. Use the manager only where the context is used.
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

  /// Ends the current undo step, so that later changes form another. Apple's. It has no other effect.
  public func processPendingChanges() {
    undoRecorder?.endEvent()
  }

  /// Makes changes that are not recorded.
  func withoutUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let undoRecorder else { return try body() }
    return try undoRecorder.pause(body)
  }
}
