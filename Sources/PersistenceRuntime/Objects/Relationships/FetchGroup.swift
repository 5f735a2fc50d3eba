/// The objects of one fetch, whose relationships and faults are loaded in batches.
///
/// Objects retain the group; the group stores their keys. Confined to the isolation of the objects, except that any
/// thread may release the last of them.
@usableFromInline
package final class FetchGroup {
  @exclusivity(unchecked) @usableFromInline var keys: ContiguousArray<Int64> = []
  /// Whether the fetch returned all objects of the entity.
  private let isComplete: Bool
  /// The prefetch windows of a large group, by property.
  private var windows: [PrefetchWindow] = []

  package init(isComplete: Bool = false) {
    self.isComplete = isComplete
  }

  /// Whether a number of objects of the group are all objects of the entity.
  package func isComplete(with count: Int) -> Bool { isComplete && keys.count == count }

  /// The keys of the objects to load together with one of them, and whether these are all objects of the entity.
  ///
  /// - Parameter position: The position of the property; nil to load the row itself.
  package func window(around key: Int64, for position: Int?) -> (keys: ArraySlice<Int64>, isComplete: Bool) {
    guard keys.count > PrefetchWindow.largest else { return (ArraySlice(keys), isComplete) }
    let known = windows.firstIndex { $0.position == position }
    if known == nil { windows.append(PrefetchWindow(position: position)) }
    return (ArraySlice(keys[windows[known ?? windows.count - 1].step(to: key, in: keys)]), false)
  }
}
