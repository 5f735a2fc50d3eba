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

    func removeAll(for targets: Set<ObjectIdentifier>) {
      entries.removeAll { entry in
        switch entry {
        case .action(let action): return action.target.map { targets.contains(ObjectIdentifier($0)) } ?? false
        case .group(let group):
          group.removeAll(for: targets)
          return group.isEmpty
        }
      }
    }

    /// Takes out the last action of a target; false when there is none.
    func removeLatestAction(of target: AnyObject) -> Bool {
      for index in entries.indices.reversed() {
        switch entries[index] {
        case .action(let action):
          guard action.target === target else { continue }
        case .group(let group):
          guard group.removeLatestAction(of: target) else { continue }
          if !group.isEmpty { return true }
        }
        entries.remove(at: index)
        return true
      }
      return false
    }
  }

  extension [UndoGroup] {
    /// Takes out the last action of a target, and its group if nothing else is in that; false when there is none.
    mutating func removeLatestAction(of target: AnyObject) -> Bool {
      guard let index = lastIndex(where: { $0.removeLatestAction(of: target) }) else { return false }
      if self[index].isEmpty { remove(at: index) }
      return true
    }
  }

  /// Carries a manager to the end of its turn of the main queue.
  final class UndoManagerReference: @unchecked Sendable {
    // Unchecked: made on the main thread, for a manager that is used there, and looked at there.
    weak var manager: UndoManager?

    init(_ manager: UndoManager) { self.manager = manager }
  }
#else
  import Foundation

  extension UndoManager {
    package func removeAllActions(withTargets targets: [AnyObject]) {
      for target in targets { removeAllActions(withTarget: target) }
    }

    package func removeLatestAction(withTarget target: AnyObject) { removeAllActions(withTarget: target) }
  }
#endif
