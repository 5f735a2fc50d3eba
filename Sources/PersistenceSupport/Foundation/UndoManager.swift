#if !canImport(Darwin)
  import Foundation

  /// A general recorder of operations that can be undone, with the interface of Foundation's, which Linux lacks.
  ///
  /// What is registered goes into the group that is open. Groups nest; each outermost one is a step of ``undo()``. With
  /// ``groupsByEvent`` the outermost group opens by itself. On the main queue it closes at the end of the turn. Other
  /// threads have no such turns: there it closes with ``undo()``, and a model context closes it with each save,
  /// each `transaction` and `processPendingChanges()`.
  ///
  /// Where Foundation raises an exception, nothing happens here: ending a group that was not begun, or enabling what was
  /// not disabled. Confined to the actor or thread that uses it.
  nonisolated open class UndoManager {
    /// How many groups are open.
    public var groupingLevel: Int { open.count }
    /// Whether an outermost group opens by itself when something is registered.
    open var groupsByEvent = true
    /// The most steps that are kept for undoing; 0 for no limit.
    open var levelsOfUndo = 0 {
      didSet { trim() }
    }
    /// The modes of the run loop in which events end. Kept for Foundation's interface; nothing depends on it here.
    open var runLoopModes: [RunLoop.Mode] = [.default]
    /// Whether ``undo()`` is running.
    public private(set) var isUndoing = false
    /// Whether ``redo()`` is running.
    public private(set) var isRedoing = false

    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    /// The open groups, the innermost last.
    private var open: [UndoGroup] = []
    private var disabledCount = 0
    /// Whether the outermost open group opened by itself.
    private var hasEventGroup = false
    /// Whether the end of the turn of the main queue is waited for.
    private var awaitsTurn = false

    /// Makes a manager with nothing to undo.
    public init() {}

    // MARK: Groups

    /// Opens a group inside the one that is open, if any.
    open func beginUndoGrouping() {
      if groupsByEvent, open.isEmpty, !isUndoing, !isRedoing { beginEventGroup() }
      begin()
    }

    /// Closes the innermost group.
    open func endUndoGrouping() {
      guard open.count > (hasEventGroup ? 1 : 0) else { return closeEventGroup() }
      end()
    }

    /// Ends the event, if its group is the only one that is open.
    package func closeEventGroup() {
      guard hasEventGroup, open.count == 1, !isUndoing, !isRedoing else { return }
      hasEventGroup = false
      end()
    }

    private func beginEventGroup() {
      hasEventGroup = true
      begin()
      closeWithTurnOfMainQueue()
    }

    private func begin() {
      post(.NSUndoManagerCheckpoint)
      open.append(UndoGroup())
      post(.NSUndoManagerDidOpenUndoGroup)
    }

    private func end() {
      post(.NSUndoManagerCheckpoint)
      post(.NSUndoManagerWillCloseUndoGroup, of: open.last)
      guard let group = open.popLast() else { return }
      // Foundation keeps a step that undoes nothing; nobody misses it.
      if !group.isEmpty { keep(group) }
      post(.NSUndoManagerDidCloseUndoGroup, of: group)
    }

    private func keep(_ group: UndoGroup) {
      if let outer = open.last { return outer.append(group) }
      if isUndoing {
        redoStack.append(group)
      } else {
        undoStack.append(group)
        trim()
      }
    }

    private func trim() {
      guard levelsOfUndo > 0 else { return }
      undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
      redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    /// There is no run loop that tells of the end of an event, but what is put into the main queue now runs after it.
    private func closeWithTurnOfMainQueue() {
      // Once for a turn, whatever opens in it: a program may be in its first turn for as long as it runs.
      guard MainQueue.isCurrent, !awaitsTurn else { return }
      awaitsTurn = true
      let reference = UndoManagerReference(self)
      DispatchQueue.main.async { reference.manager?.endTurn() }
    }

    private func endTurn() {
      awaitsTurn = false
      closeEventGroup()
    }

    // MARK: Registering

    /// Whether what is registered is kept.
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Ignores what is registered until ``enableUndoRegistration()`` has been called as often as this.
    open func disableUndoRegistration() { disabledCount += 1 }

    /// Takes one ``disableUndoRegistration()`` back.
    open func enableUndoRegistration() { disabledCount = max(0, disabledCount - 1) }

    /// Registers what undoes an operation.
    ///
    /// - Parameters:
    ///   - target: What the handler is called with, for as long as it lives; the manager does not keep it.
    ///   - handler: Undoes the operation. What it registers is what ``redo()`` does.
    public func registerUndo<TargetType: AnyObject>(
      withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
      guard isUndoRegistrationEnabled else { return }
      let action = UndoAction(target: target, handler: handler)
      if !isUndoing, !isRedoing { redoStack.removeAll() }
      if open.isEmpty, groupsByEvent { beginEventGroup() }
      guard let group = open.last else {
        // Nobody has opened a group: a step of its own.
        begin()
        open.last?.append(action)
        return end()
      }
      group.append(action)
    }

    // MARK: Undoing

    /// Whether there is something to undo.
    open var canUndo: Bool { !undoStack.isEmpty || open.contains { !$0.isEmpty } }

    /// Whether there is something to redo.
    open var canRedo: Bool {
      post(.NSUndoManagerCheckpoint)
      return !redoStack.isEmpty
    }

    /// How many steps can be undone.
    open var undoCount: Int { undoStack.count }

    /// How many steps can be redone.
    open var redoCount: Int { redoStack.count }

    /// Undoes the last step. Groups that are still open are closed before.
    open func undo() {
      guard !isUndoing, !isRedoing else { return }
      hasEventGroup = false
      while !open.isEmpty { end() }
      undoNestedGroup()
    }

    /// Undoes the group that was closed last in the one that is open, or the last step when none is open.
    open func undoNestedGroup() {
      guard !isUndoing, !isRedoing else { return }
      post(.NSUndoManagerCheckpoint)
      guard let group = open.last?.popLastGroup() ?? (open.isEmpty ? undoStack.popLast() : nil) else { return }
      post(.NSUndoManagerWillUndoChange)
      isUndoing = true
      let outer = open
      open = []
      run(group)
      open = outer
      isUndoing = false
      post(.NSUndoManagerDidUndoChange)
    }

    /// Does again what was undone last.
    open func redo() {
      guard !isUndoing, !isRedoing else { return }
      post(.NSUndoManagerCheckpoint)
      hasEventGroup = false
      while !open.isEmpty { end() }
      guard let group = redoStack.popLast() else { return }
      post(.NSUndoManagerWillRedoChange)
      isRedoing = true
      run(group)
      isRedoing = false
      post(.NSUndoManagerDidRedoChange)
    }

    /// Runs the actions of a group; what they register is one group with the same name.
    private func run(_ group: UndoGroup) {
      begin()
      open.last?.name = group.name
      open.last?.isDiscardable = group.isDiscardable
      group.run()
      while open.count > 1 { end() }
      end()
    }

    // MARK: Forgetting

    /// Forgets everything, and keeps what is registered from now on.
    open func removeAllActions() {
      undoStack.removeAll()
      redoStack.removeAll()
      for group in open { group.removeAll() }
      disabledCount = 0
    }

    /// Forgets what was registered for a target.
    open func removeAllActions(withTarget target: Any) { removeAllActions(withTargets: [target as AnyObject]) }

    /// Forgets what was registered for several targets, and looks through everything once for all of them.
    package func removeAllActions(withTargets targets: [AnyObject]) {
      let identities = Set(targets.map { ObjectIdentifier($0) })
      for group in undoStack + redoStack + open { group.removeAll(for: identities) }
      undoStack.removeAll(where: \.isEmpty)
      redoStack.removeAll(where: \.isEmpty)
    }

    /// Forgets the one action that was registered for a target.
    ///
    /// The last ones are looked at first: what was registered a moment ago is found without going through everything.
    package func removeLatestAction(withTarget target: AnyObject) {
      for group in open.reversed() {
        if group.removeLatestAction(of: target) { return }
      }
      if undoStack.removeLatestAction(of: target) { return }
      _ = redoStack.removeLatestAction(of: target)
    }

    // MARK: Names

    /// Names the step that the open group belongs to, for the menu.
    open func setActionName(_ actionName: String) {
      if let group = open.first {
        group.name = actionName
      } else {
        undoStack.last?.name = actionName
      }
    }

    /// The name of the step that ``undo()`` undoes.
    open var undoActionName: String {
      open.first { !$0.isEmpty }?.name ?? (undoStack.last?.name ?? "")
    }

    /// The name of the step that ``redo()`` does again.
    open var redoActionName: String { redoStack.last?.name ?? "" }

    /// The title of the menu's entry for ``undo()``.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of the menu's entry for ``redo()``.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// The title for undoing something of a name.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// The title for doing something of a name again.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    // MARK: Discarding

    /// Says whether the open group may be lost without a loss, as a change of the selection may.
    open func setActionIsDiscardable(_ discardable: Bool) { open.last?.isDiscardable = discardable }

    /// Whether the step that ``undo()`` undoes may be lost.
    open var undoActionIsDiscardable: Bool { undoStack.last?.isDiscardable ?? false }

    /// Whether the step that ``redo()`` does again may be lost.
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

    private func post(_ name: Notification.Name, of group: UndoGroup? = nil) {
      let information = group.map { [NSUndoManagerGroupIsDiscardableKey: $0.isDiscardable] }
      NotificationCenter.default.post(name: name, object: self, userInfo: information)
    }
  }
#endif
