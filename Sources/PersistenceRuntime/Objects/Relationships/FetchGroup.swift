/// The objects of one fetch, so that what one of them needs can be read for all of them at once.
///
/// Objects hold their group and the group knows them by their keys. Confined to whoever may use the objects; the last of
/// them to go may go on any thread.
@usableFromInline
package final class FetchGroup {
  @exclusivity(unchecked) @usableFromInline var keys: ContiguousArray<Int64> = []
  /// Whether these are all objects of their entity.
  private let isComplete: Bool
  /// Of groups that are too large to be served at once.
  private var walks: [PrefetchWindow] = []

  package init(isComplete: Bool = false) {
    self.isComplete = isComplete
  }

  /// Whether a number of objects of the group are all that there are.
  package func isComplete(with count: Int) -> Bool { isComplete && keys.count == count }

  /// The keys of the objects that are served together with one of them, and whether these are all that there are.
  ///
  /// - Parameter position: The property that is read; nil for the row itself.
  package func window(around key: Int64, for position: Int?) -> (keys: ArraySlice<Int64>, isComplete: Bool) {
    guard keys.count > PrefetchWindow.largest else { return (ArraySlice(keys), isComplete) }
    let known = walks.firstIndex { $0.position == position }
    if known == nil { walks.append(PrefetchWindow(position: position)) }
    return (ArraySlice(keys[walks[known ?? walks.count - 1].step(to: key, in: keys)]), false)
  }
}
