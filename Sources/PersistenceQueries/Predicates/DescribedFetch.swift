import PersistenceRuntime

/// The descriptor from which a fetch request was made. A custom store fetches by this descriptor.
package protocol ModelFetch: FetchOrigin {
  associatedtype T: PersistentModel
  var descriptor: FetchDescriptor<T> { get }
  var editor: EditingState? { get }
  /// Whether the next save deletes the results.
  var isDeletion: Bool { get }
  /// A copy of the fetch with ``isDeletion`` set to true.
  var deleting: any FetchOrigin { get }
}

/// The descriptor of a fetch, and the context that runs it.
package final class DescribedFetch<T: PersistentModel>: ModelFetch {
  package let descriptor: FetchDescriptor<T>
  package let editor: EditingState?
  package let isDeletion: Bool

  package init(descriptor: FetchDescriptor<T>, editor: EditingState?, isDeletion: Bool = false) {
    self.descriptor = descriptor
    self.editor = editor
    self.isDeletion = isDeletion
  }

  package var deleting: any FetchOrigin {
    DescribedFetch(descriptor: descriptor, editor: editor, isDeletion: true)
  }
}

extension FetchRequest {
  /// Records that the next save deletes the results of the request.
  package mutating func noteDeletion() { origin = (origin as? any ModelFetch)?.deleting ?? origin }
}
