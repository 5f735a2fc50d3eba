/// Decides which objects of a large fetch to load next, while a loop reads the objects or one of their relationships.
///
/// A window is the range of objects that one query loads. A loop that reads every object gets large windows. For a loop
/// that reads few objects, such as those that match a condition, most loaded objects are useless. So the windows become
/// smaller while the loop skips many objects, and larger when it reads neighbouring objects again.
package struct PrefetchWindow {
  /// The maximum number of objects that one query loads. It bounds the wasted work if the loop ends early.
  package static let largest = 20_000
  /// If a loop skips at most this many objects, the next window grows. Loading an object in a batch takes about an
  /// eighth of the time of loading it alone.
  private static let fewSkipped = 8
  /// How many objects after the window are searched for the next object that the loop reads. If it is not among them,
  /// the loop has restarted.
  private static let reach = 4096

  /// The index of the relationship's property; nil if the rows themselves are loaded.
  package let position: Int?
  private var window = 0..<0
  private var size = PrefetchWindow.largest

  package init(position: Int?) {
    self.position = position
  }

  /// The indices of the objects to load next. The object with the given key is among them.
  package mutating func step(to key: Int64, in keys: ContiguousArray<Int64>) -> Range<Int> {
    let end = window.upperBound
    if let index = keys[end..<min(end + Self.reach, keys.count)].firstIndex(of: key) {
      size = index - end <= Self.fewSkipped ? min(size * 4, Self.largest) : max(size / 32, 1)
      window = index..<min(index + size, keys.count)
    } else {
      let start = (keys.firstIndex(of: key) ?? 0) / Self.largest * Self.largest
      size = Self.largest
      window = start..<min(start + size, keys.count)
    }
    return window
  }
}
