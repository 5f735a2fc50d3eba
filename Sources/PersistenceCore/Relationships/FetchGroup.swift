/// The objects of one fetch, so that what one of them needs can be read for all of them at once.
///
/// Objects hold their group and the group knows them by their keys. Confined to whoever may use the objects; the last of
/// them to go may go on any thread.
@usableFromInline
package final class FetchGroup {
  /// How many objects one query serves. A loop over many more that ends early has not paid for the rest.
  private static let windowSize = 20_000

  @exclusivity(unchecked) @usableFromInline var keys: ContiguousArray<Int64> = []
  /// Whether these are all objects of their entity.
  private let isComplete: Bool

  init(isComplete: Bool = false) {
    self.isComplete = isComplete
  }

  /// Whether a number of objects of the group are all that there are.
  func isComplete(with count: Int) -> Bool { isComplete && keys.count == count }

  /// The keys of the objects that are served together with one of them, and whether these are all that there are.
  func window(around key: Int64) -> (keys: ArraySlice<Int64>, isComplete: Bool) {
    guard keys.count > Self.windowSize else { return (ArraySlice(keys), isComplete) }
    let place = keys.firstIndex(of: key) ?? 0
    let start = place / Self.windowSize * Self.windowSize
    return (ArraySlice(keys[start..<min(start + Self.windowSize, keys.count)]), false)
  }
}
