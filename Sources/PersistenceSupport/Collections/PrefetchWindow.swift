/// How far a loop over a large fetch has advanced for one relationship, and which objects to load next.
///
/// A loop that reads every object gets large windows. A loop that reads few objects, such as those that match a
/// condition, also loads the objects that it skips, so its windows shrink until it reads neighbours again.
package struct PrefetchWindow {
  /// The maximum number of objects per query, which bounds the waste of a loop that ends early.
  package static let largest = 20_000
  /// How many objects a loop may skip and still count as dense: loading an object in a batch takes about an eighth of
  /// the time of loading it alone.
  private static let fewSkipped = 8
  /// How many objects after the window are searched. If the read object is elsewhere, the loop counts as restarted.
  private static let reach = 4096

  /// The position of the relationship's property; nil for the row itself.
  package let position: Int?
  private var window = 0..<0
  private var size = PrefetchWindow.largest

  package init(position: Int?) {
    self.position = position
  }

  /// The indices of the objects to load, including the object with the given key.
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
