/// Tracks what code changes in objects while their rows are written, for the rows that follow.
package protocol LateChangeTracking: AnyObject {
  /// Whether there are changes of objects that were written before.
  var hasLateChanges: Bool { get }

  /// Forgets the changes of an object that is about to be written, with what it has by now. References to objects that
  /// get their rows with the next save cannot be written, and stay.
  ///
  /// - Parameter mask: The properties that are written.
  func forgetLateChanges(of object: any PersistentModel, mask: UInt64)

  /// The key of the row that a reference led to before code changed it; 0 for none, nil where that is not known.
  func formerKey(of object: any PersistentModel, at position: Int) -> Int64?
}
