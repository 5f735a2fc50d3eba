import Foundation
import PersistenceSupport

extension ModelContext {
  /// What records the changes of the context so that they can be undone; nil, as it is at first, costs nothing.
  ///
  /// Insertions, deletions with all that delete rules do, changes of every property, and both ends of relationships with
  /// their order are recorded, saved or not: undoing after a save makes changes that the next save stores. A model whose
  /// deletion was saved comes back as the same object with the same identifier. What was changed in memory before the
  /// manager was set, or while its registration was disabled, stays as it is.
  ///
  /// A ``transaction(block:)`` is one step. Otherwise a step ends with ``save()``, with ``processPendingChanges()``, where
  /// the manager opens or closes a group, and on the main actor at the end of the event. ``rollback()`` empties the
  /// manager, and a transaction that throws leaves nothing in it.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// trip.name = "Oslo"
  /// try context.save()
  /// context.undoManager?.undo()  // trip.name is what it was, and waits to be saved
  /// ```
  public var undoManager: UndoManager? {
    get { undoRecorder?.undoManager }
    set {
      guard newValue !== undoRecorder?.undoManager else { return }
      undoRecorder = newValue.map { UndoRecorder($0, of: self) }
    }
  }

  /// Ends the step that the next undo takes back: what is changed from now on is undone on its own. Changes themselves are
  /// always in order here.
  public func processPendingChanges() {
    undoRecorder?.endEvent()
  }

  /// Makes changes that are none of the user's.
  func withoutUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
    guard let undoRecorder else { return try body() }
    return try undoRecorder.pause(body)
  }
}
