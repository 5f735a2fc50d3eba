#if !canImport(Darwin)
  import Foundation

  /// Records operations so that they can be undone. Has the interface of Foundation's class, which Linux lacks.
  ///
  /// An operation is registered in the innermost open group. Groups can be nested. Each outermost group is one step of
  /// ``undo()``. With ``groupsByEvent``, the first registration opens the outermost group. On the main queue, this
  /// group closes at the end of the queue's turn. On other threads, ``undo()`` closes it. A model context also closes
  /// it at each save, each `transaction` and each `processPendingChanges()`.
  ///
  /// Two calls that raise an exception in Foundation have no effect here: ending a group that was not begun, and
  /// enabling registration that was not disabled. Not Sendable: use the manager on the actor or thread of its context.
  ///
  /// ```swift
  /// context.undoManager = UndoManager()
  /// trip.name = "Lisbon"
  /// context.undoManager?.undo()  // the former name again
  /// ```
  nonisolated open class UndoManager {
    /// The number of open groups.
    public var groupingLevel: Int { open.count }
    /// Whether a registration opens an outermost group if no group is open.
    open var groupsByEvent = true
    /// The maximum number of steps that can be undone; 0 for no limit.
    open var levelsOfUndo = 0 {
      didSet { trim() }
    }
    /// The run loop modes in which events end. They exist for compatibility with Foundation, and have no effect here.
    open var runLoopModes: [RunLoop.Mode] = [.default]
    /// Whether ``undo()`` is running.
    public private(set) var isUndoing = false
    /// Whether ``redo()`` is running.
    public private(set) var isRedoing = false

    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    /// The open groups. The innermost is the last.
    private var open: [UndoGroup] = []
    private var disabledCount = 0
    /// Whether ``groupsByEvent`` opened the outermost group.
    private var hasEventGroup = false
    /// Whether a block is already scheduled that closes the group at the end of the main queue's current turn.
    private var awaitsTurn = false

    /// Creates a manager without operations.
    public init() {}

    // MARK: Groups

    /// Opens a group within the innermost open one.
    open func beginUndoGrouping() {
      if groupsByEvent, open.isEmpty, !isUndoing, !isRedoing { beginEventGroup() }
      begin()
    }

    /// Closes the innermost group.
    open func endUndoGrouping() {
      guard open.count > (hasEventGroup ? 1 : 0) else { return closeEventGroup() }
      end()
    }

    /// Closes the group that ``groupsByEvent`` opened, if no other group is open.
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
      // Foundation would keep an empty group as a step.
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

    /// Schedules a block that closes the group after the main queue's turn, as no run loop reports the end of an event.
    private func closeWithTurnOfMainQueue() {
      // At most one block is scheduled for each turn, because the first turn may last as long as the program.
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

    /// Whether the manager records registered operations.
    public var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// From now on, ignores registrations. Each call needs a matching call of ``enableUndoRegistration()``.
    open func disableUndoRegistration() { disabledCount += 1 }

    /// Cancels one call of ``disableUndoRegistration()``.
    open func enableUndoRegistration() { disabledCount = max(0, disabledCount - 1) }

    /// Registers the operation that undoes a change.
    ///
    /// - Parameters:
    ///   - target: The argument of the handler. The manager references it weakly. Once the target is deallocated, the
    ///     operation has no effect.
    ///   - handler: Undoes the change. The operations that the handler registers are performed by ``redo()``.
    public func registerUndo<TargetType: AnyObject>(
      withTarget target: TargetType, handler: @escaping (TargetType) -> Void
    ) {
      guard isUndoRegistrationEnabled else { return }
      let action = UndoAction(target: target, handler: handler)
      if !isUndoing, !isRedoing { redoStack.removeAll() }
      if open.isEmpty, groupsByEvent { beginEventGroup() }
      guard let group = open.last else {
        // Without an open group, the operation becomes a step of its own.
        begin()
        open.last?.append(action)
        return end()
      }
      group.append(action)
    }

    // MARK: Undoing

    /// Whether there is an operation to undo.
    open var canUndo: Bool { !undoStack.isEmpty || open.contains { !$0.isEmpty } }

    /// Whether there is an operation to redo.
    open var canRedo: Bool {
      post(.NSUndoManagerCheckpoint)
      return !redoStack.isEmpty
    }

    /// The number of steps that can be undone.
    open var undoCount: Int { undoStack.count }

    /// The number of steps that can be redone.
    open var redoCount: Int { redoStack.count }

    /// Closes all open groups, and undoes the last step.
    open func undo() {
      guard !isUndoing, !isRedoing else { return }
      hasEventGroup = false
      while !open.isEmpty { end() }
      undoNestedGroup()
    }

    /// Undoes the last group that was closed within the innermost open group. If none is open, undoes the last step.
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

    /// Redoes the last step that was undone.
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

    /// Runs the operations of a group. The operations that they register form a group with the same name.
    private func run(_ group: UndoGroup) {
      begin()
      open.last?.name = group.name
      open.last?.isDiscardable = group.isDiscardable
      group.run()
      while open.count > 1 { end() }
      end()
    }

    // MARK: Forgetting

    /// Removes all operations, and enables registration again.
    open func removeAllActions() {
      undoStack.removeAll()
      redoStack.removeAll()
      for group in open { group.removeAll() }
      disabledCount = 0
    }

    /// Removes the operations of a target.
    ///
    /// - Parameter target: The object with which the operations were registered.
    open func removeAllActions(withTarget target: Any) { removeAllActions(withTargets: [target as AnyObject]) }

    /// Removes the operations of several targets in one pass.
    package func removeAllActions(withTargets targets: [AnyObject]) {
      let identities = Set(targets.map { ObjectIdentifier($0) })
      for group in undoStack + redoStack + open { group.removeAll(for: identities) }
      undoStack.removeAll(where: \.isEmpty)
      redoStack.removeAll(where: \.isEmpty)
    }

    /// Removes the last operation that was registered with a target.
    ///
    /// Searches from the end, because the operation is usually recent.
    package func removeLatestAction(withTarget target: AnyObject) {
      for group in open.reversed() {
        if group.removeLatestAction(of: target) { return }
      }
      if undoStack.removeLatestAction(of: target) { return }
      _ = redoStack.removeLatestAction(of: target)
    }

    // MARK: Names

    /// Names the outermost open group, which becomes a step when it closes. If no group is open, names the last step.
    ///
    /// - Parameter actionName: The name, which menu items show.
    open func setActionName(_ actionName: String) {
      if let group = open.first {
        group.name = actionName
      } else {
        undoStack.last?.name = actionName
      }
    }

    /// The name of the step that ``undo()`` reverts.
    open var undoActionName: String {
      open.first { !$0.isEmpty }?.name ?? (undoStack.last?.name ?? "")
    }

    /// The name of the step that ``redo()`` performs.
    open var redoActionName: String { redoStack.last?.name ?? "" }

    /// The title of the menu item for ``undo()``.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

    /// The title of the menu item for ``redo()``.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// Returns the title of the menu item that undoes a step.
    ///
    /// - Parameter actionName: The name of the step, or an empty string.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// Returns the title of the menu item that redoes a step.
    ///
    /// - Parameter actionName: The name of the step, or an empty string.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
      actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    // MARK: Discarding

    /// Sets whether the innermost open group may be discarded without loss, for example because it changes a selection.
    ///
    /// - Parameter discardable: Whether the group may be discarded.
    open func setActionIsDiscardable(_ discardable: Bool) { open.last?.isDiscardable = discardable }

    /// Whether the step that ``undo()`` reverts is discardable.
    open var undoActionIsDiscardable: Bool { undoStack.last?.isDiscardable ?? false }

    /// Whether the step that ``redo()`` performs is discardable.
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

    private func post(_ name: Notification.Name, of group: UndoGroup? = nil) {
      let information = group.map { [NSUndoManagerGroupIsDiscardableKey: $0.isDiscardable] }
      NotificationCenter.default.post(name: name, object: self, userInfo: information)
    }
  }
#endif
