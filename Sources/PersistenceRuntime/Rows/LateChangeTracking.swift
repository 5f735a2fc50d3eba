/// Tracks what code changes in objects while their rows are written, for the rows that follow.
package protocol LateChangeTracking: AnyObject {
  /// Whether there are changes of objects that were written before.
  var hasLateChanges: Bool { get }

  /// Forgets the changes of an object that is about to be written, with what it has by now.
  ///
  /// - Parameter mask: The properties that are written.
  func forgetLateChanges(of object: AnyObject, mask: UInt64)
}
