/// Tracks changes that user code makes to objects while their rows are written.
package protocol LateChangeTracking: AnyObject {
  /// Whether objects changed after their rows were written.
  var hasLateChanges: Bool { get }

  /// Discards the changes of an object that is about to be written with its current values. References to objects that
  /// get their rows with the next save cannot be written and are kept.
  ///
  /// - Parameter mask: The written properties.
  func forgetLateChanges(of object: any PersistentModel, mask: UInt64)

  /// The key that a reference had before its change; 0 for nil, nil if unknown.
  func formerKey(of object: any PersistentModel, at position: Int) -> Int64?
}
