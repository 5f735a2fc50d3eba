/// How far a loop over the objects of a large fetch has come with one of their relationships, and what to read next.
///
/// A loop that asks every object is served by large windows. One that asks few of them, such as those that a condition
/// leaves, pays for what it skips, so its windows shrink until it asks for neighbours again.
struct PrefetchWindow {
  /// How many objects one query serves at most. A loop over many more that ends early has not paid for the rest.
  static let largest = 20_000
  /// How many objects a loop may skip and still be one that asks most of them: reading an object with others costs about
  /// an eighth of reading it alone.
  private static let fewSkipped = 8
  /// How far ahead the next object is looked for before the walk counts as begun elsewhere.
  private static let reach = 4096

  /// The property that is read; nil for the row itself.
  let position: Int?
  private var window = 0..<0
  private var size = PrefetchWindow.largest

  init(position: Int?) {
    self.position = position
  }

  /// The places of the objects to serve together with one of them.
  mutating func step(to key: Int64, in keys: ContiguousArray<Int64>) -> Range<Int> {
    let end = window.upperBound
    if let place = keys[end..<min(end + Self.reach, keys.count)].firstIndex(of: key) {
      size = place - end <= Self.fewSkipped ? min(size * 4, Self.largest) : max(size / 32, 1)
      window = place..<min(place + size, keys.count)
    } else {
      let start = (keys.firstIndex(of: key) ?? 0) / Self.largest * Self.largest
      size = Self.largest
      window = start..<min(start + size, keys.count)
    }
    return window
  }
}
