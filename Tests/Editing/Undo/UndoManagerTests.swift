import SwiftData
import Testing

/// A counter that registers an undo action for each change of its value.
private final class Counter {
  var value = 0
  let manager: UndoManager

  init(_ manager: UndoManager) { self.manager = manager }

  func set(_ new: Int) {
    let old = value
    manager.registerUndo(withTarget: self) { $0.set(old) }
    value = new
  }
}

@Suite("UndoManager")
struct UndoManagerTests {
  @Test("actions registered without an explicit group form one step, which undo reverts and redo applies again")
  func event() {
    let manager = UndoManager()
    let counter = Counter(manager)
    #expect(!manager.canUndo && !manager.canRedo)
    counter.set(1)
    counter.set(2)
    #expect(manager.groupingLevel == 1)
    #expect(manager.canUndo)
    manager.undo()
    #expect(counter.value == 0)
    #expect(manager.groupingLevel == 0)
    #expect(!manager.canUndo && manager.canRedo)
    manager.redo()
    #expect(counter.value == 2)
    manager.undo()
    #expect(counter.value == 0)
    counter.set(3)
    #expect(!manager.canRedo)
  }

  @Test("groups nest, and each outermost group is one undo step")
  func groups() {
    let manager = UndoManager()
    manager.groupsByEvent = false
    let counter = Counter(manager)
    for value in 1...3 {
      manager.beginUndoGrouping()
      counter.set(value * 10)
      manager.beginUndoGrouping()
      #expect(manager.groupingLevel == 2)
      counter.set(value)
      manager.endUndoGrouping()
      manager.endUndoGrouping()
    }
    #expect(manager.undoCount == 3)
    manager.undo()
    #expect(counter.value == 2)
    manager.undo()
    manager.undo()
    manager.undo()
    #expect(counter.value == 0)
    for value in 1...3 {
      manager.redo()
      #expect(counter.value == value)
    }
    #expect(!manager.canRedo)
  }

  @Test("a nested group can be undone on its own")
  func nested() {
    let manager = UndoManager()
    manager.groupsByEvent = false
    let counter = Counter(manager)
    manager.beginUndoGrouping()
    counter.set(1)
    manager.beginUndoGrouping()
    counter.set(2)
    manager.endUndoGrouping()
    manager.undoNestedGroup()
    #expect(counter.value == 1)
    #expect(manager.groupingLevel == 1)
    manager.endUndoGrouping()
    manager.undo()
    #expect(counter.value == 0)
  }

  @Test("without grouping by event, every registration is a separate step")
  func single() {
    let manager = UndoManager()
    manager.groupsByEvent = false
    let counter = Counter(manager)
    counter.set(1)
    counter.set(2)
    manager.undo()
    #expect(counter.value == 1)
  }

  @Test("the manager keeps at most `levelsOfUndo` steps")
  func levels() {
    let manager = UndoManager()
    manager.groupsByEvent = false
    manager.levelsOfUndo = 2
    let counter = Counter(manager)
    for value in 1...5 { counter.set(value) }
    while manager.canUndo { manager.undo() }
    #expect(counter.value == 3)
  }

  @Test("calls that disable and enable registration can be nested")
  func disabling() {
    let manager = UndoManager()
    let counter = Counter(manager)
    manager.enableUndoRegistration()
    manager.disableUndoRegistration()
    manager.disableUndoRegistration()
    manager.enableUndoRegistration()
    #expect(!manager.isUndoRegistrationEnabled)
    counter.set(1)
    #expect(!manager.canUndo)
    manager.enableUndoRegistration()
    counter.set(2)
    manager.undo()
    #expect(counter.value == 1)
  }

  @Test("all actions, or the actions of one target, can be removed; actions of a released target do nothing")
  func removing() {
    let manager = UndoManager()
    manager.groupsByEvent = false
    let (first, second) = (Counter(manager), Counter(manager))
    manager.beginUndoGrouping()
    first.set(1)
    second.set(1)
    manager.endUndoGrouping()
    first.set(2)
    manager.removeAllActions(withTarget: first)
    #expect(manager.undoCount == 1)
    manager.undo()
    #expect((first.value, second.value) == (2, 0))
    manager.removeAllActions()
    #expect(!manager.canUndo && !manager.canRedo)
    Counter(manager).set(7)
    manager.undo()
  }

  @Test("undo steps have names, which they keep when they become redo steps")
  func names() {
    let manager = UndoManager()
    let counter = Counter(manager)
    #expect(manager.undoMenuItemTitle == "Undo")
    counter.set(1)
    manager.setActionName("Counting")
    #expect(manager.undoActionName == "Counting")
    #expect(manager.undoMenuItemTitle == "Undo Counting")
    manager.undo()
    #expect(manager.redoActionName == "Counting")
    #expect(manager.redoMenuItemTitle == "Redo Counting")
    #expect(manager.undoActionName == "")
  }

  @Test("the manager posts the notifications of groups and of undo")
  func notifications() {
    let manager = UndoManager()
    let counter = Counter(manager)
    let log = NotificationLog(of: manager)
    counter.set(1)
    manager.undo()
    #expect(
      log.names == [
        .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup, .NSUndoManagerDidCloseUndoGroup,
        .NSUndoManagerWillUndoChange, .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup,
        .NSUndoManagerDidCloseUndoGroup, .NSUndoManagerDidUndoChange,
      ])
    #expect(!manager.isUndoing)
  }

  @Test("on the main thread, an automatic group ends when the run loop's turn ends")
  @MainActor
  func mainThread() async {
    let manager = UndoManager()
    let counter = Counter(manager)
    counter.set(1)
    await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    counter.set(2)
    manager.undo()
    #expect(counter.value == 1)
  }

  @Test("on the main thread, the turn's last automatic group ends with the turn, even if earlier groups ended before")
  @MainActor
  func severalEventsInATurn() async {
    let manager = UndoManager()
    let counter = Counter(manager)
    for turn in 0..<2 {
      counter.set(turn * 10 + 1)
      manager.endUndoGrouping()
      counter.set(turn * 10 + 2)
      await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
      #expect(manager.groupingLevel == 0)
    }
    for value in [11, 2, 1, 0] {
      manager.undo()
      #expect(counter.value == value)
    }
  }
}

/// Records the notifications of an undo manager, except those of checkpoints.
private final class NotificationLog {
  private(set) var names: [NSNotification.Name] = []
  private var observers: [any NSObjectProtocol] = []

  init(of manager: UndoManager) {
    let names: [NSNotification.Name] = [
      .NSUndoManagerDidOpenUndoGroup, .NSUndoManagerWillCloseUndoGroup, .NSUndoManagerDidCloseUndoGroup,
      .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
    ]
    for name in names {
      nonisolated(unsafe) let log = self
      observers.append(
        NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) { _ in
          log.names.append(name)
        })
    }
  }

  deinit { observers.forEach(NotificationCenter.default.removeObserver) }
}
