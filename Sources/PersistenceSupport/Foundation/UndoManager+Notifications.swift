#if !canImport(Darwin)
  import Foundation

  /// The key under which the notifications of closing groups say whether the group may be lost.
  // swift-format-ignore: AlwaysUseLowerCamelCase
  public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"

  extension NSNotification.Name {
    /// Posted when a group opens or closes and before the state of the redo stack is told: the time to register late.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerCheckpoint = NSNotification.Name("NSUndoManagerCheckpointNotification")
    /// Posted after a group was opened.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerDidOpenUndoGroup = NSNotification.Name("NSUndoManagerDidOpenUndoGroupNotification")
    /// Posted before a group is closed.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerWillCloseUndoGroup = NSNotification.Name(
      "NSUndoManagerWillCloseUndoGroupNotification")
    /// Posted after a group was closed.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerDidCloseUndoGroup = NSNotification.Name("NSUndoManagerDidCloseUndoGroupNotification")
    /// Posted before something is undone.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerWillUndoChange = NSNotification.Name("NSUndoManagerWillUndoChangeNotification")
    /// Posted after something was undone.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerDidUndoChange = NSNotification.Name("NSUndoManagerDidUndoChangeNotification")
    /// Posted before something is done again.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerWillRedoChange = NSNotification.Name("NSUndoManagerWillRedoChangeNotification")
    /// Posted after something was done again.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    public static let NSUndoManagerDidRedoChange = NSNotification.Name("NSUndoManagerDidRedoChangeNotification")
  }
#endif
