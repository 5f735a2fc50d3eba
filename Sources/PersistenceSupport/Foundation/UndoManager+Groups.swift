import Foundation

#if !canImport(Darwin)
  /// An operation that was registered to undo a change.
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

  /// Operations and nested groups that are undone together.
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

    /// Removes and returns the last entry if it is a group; returns nil otherwise.
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

    /// Removes the last operation of a target; returns false if there is none.
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
    /// Removes a target's last operation, and its group if the group becomes empty. Returns false if there is none.
    mutating func removeLatestAction(of target: AnyObject) -> Bool {
      guard let index = lastIndex(where: { $0.removeLatestAction(of: target) }) else { return false }
      if self[index].isEmpty { remove(at: index) }
      return true
    }
  }

  /// A weak reference to an undo manager, for the block that runs at the end of the main queue's turn.
  final class UndoManagerReference: @unchecked Sendable {
    // Unchecked: it is created and read only on the main thread, where its manager is used.
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

#if !canImport(Darwin)
  /// The key of a Boolean in a notification's user info: whether the group that closes is discardable.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"

  extension NSNotification.Name {
    /// Posted before a group opens or closes, before an undo or redo, and by `canRedo`. Observers can register changes.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerCheckpoint = NSNotification.Name("NSUndoManagerCheckpointNotification")
    /// Posted after a group opened.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// Posted before a group closes.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerWillCloseUndoGroup = NSNotification.Name(
      "NSUndoManagerWillCloseUndoGroupNotification")
    /// Posted after a group closed.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerDidCloseUndoGroup = NSNotification.Name("NSUndoManagerDidCloseUndoGroupNotification")
    /// Posted before an undo.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerWillUndoChange = NSNotification.Name("NSUndoManagerWillUndoChangeNotification")
    /// Posted after an undo.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerDidUndoChange = NSNotification.Name("NSUndoManagerDidUndoChangeNotification")
    /// Posted before a redo.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerWillRedoChange = NSNotification.Name("NSUndoManagerWillRedoChangeNotification")
    /// Posted after a redo.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerDidRedoChange = NSNotification.Name("NSUndoManagerDidRedoChangeNotification")
  }
#endif
