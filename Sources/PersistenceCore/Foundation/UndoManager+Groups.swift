#if !canImport(Darwin)
  /// One operation that an undo manager was given.
  struct UndoAction {
    private(set) weak var target: AnyObject?
    private let handler: (AnyObject) -> Void

    init<TargetType: AnyObject>(target: TargetType, handler: @escaping (TargetType) -> Void) {
      self.target = target
      self.handler = { handler(unsafeDowncast($0, to: TargetType.self)) }
    }

    func run() {
      if let target { handler(target) }
    }
  }

  /// Operations that are undone together, and groups of such.
  final class UndoGroup {
    private enum Entry {
      case action(UndoAction)
      case group(UndoGroup)
    }

    private var entries: [Entry] = []
    var name = ""
    var isDiscardable = false

    var isEmpty: Bool { entries.isEmpty }

    func append(_ action: UndoAction) { entries.append(.action(action)) }

    func append(_ group: UndoGroup) {
      if name.isEmpty { name = group.name }
      entries.append(.group(group))
    }

    /// Takes the group out that was closed last, unless something was registered after it.
    func popLastGroup() -> UndoGroup? {
      guard case .group(let group)? = entries.last else { return nil }
      entries.removeLast()
      return group
    }

    func run() {
      for entry in entries.reversed() {
        switch entry {
        case .action(let action): action.run()
        case .group(let group): group.run()
        }
      }
    }

    func removeAll() { entries.removeAll() }

    func removeAll(for target: AnyObject) {
      entries.removeAll { entry in
        switch entry {
        case .action(let action): return action.target === target
        case .group(let group):
          group.removeAll(for: target)
          return group.isEmpty
        }
      }
    }
  }
#endif
