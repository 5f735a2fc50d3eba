/// The results of a fetch, read in batches on access. Apple's type.
///
/// The fetch determines the results and their order: the collection stores their keys, 8 bytes each. Accessing an
/// element reads its batch, and other batches are released. An element whose row was deleted meanwhile is a deleted
/// model.
///
/// Not Sendable: it retains the context that it reads with.
public struct FetchResultsCollection<Element>: RandomAccessCollection {
  /// The position of a result, from 0.
  public typealias Index = Int
  /// The positions of all results.
  public typealias Indices = Range<Int>

  private let read: (Int) -> Element
  /// Always zero.
  public let startIndex = 0
  /// The number of results.
  public let endIndex: Int

  /// - Parameter read: Returns the element at a position.
  package init(count: Int, read: @escaping (Int) -> Element) {
    self.endIndex = count
    self.read = read
  }

  /// The result at a position. May read a batch of rows.
  ///
  /// - Parameter position: The position.
  public subscript(position: Int) -> Element { read(position) }
}
