/// The results of a fetch, read in batches when they are touched.
///
/// Which results there are, and in which order, is decided by the fetch: the collection keeps their keys, 8 bytes each.
/// What they are is read when an element is asked for, for a whole batch at once, and let go when other batches are
/// asked for. An element whose row has been deleted in the meantime reads as a deleted model.
///
/// Not Sendable, like the context that it reads with, and which it keeps.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  public typealias Index = Int
  public typealias Indices = Range<Int>

  private let read: (Int) -> Element
  public let startIndex = 0
  public let endIndex: Int

  /// - Parameter read: Says what is at a position.
  package init(count: Int, read: @escaping (Int) -> Element) {
    self.endIndex = count
    self.read = read
  }

  public subscript(position: Int) -> Element { read(position) }
}
