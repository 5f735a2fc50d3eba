import PersistenceRuntime

/// What a store of the program is asked, as the program asked it.
package protocol ModelFetch: FetchOrigin {
  associatedtype T: PersistentModel
  var descriptor: FetchDescriptor<T> { get }
  var editor: EditingState? { get }
}

/// The descriptor of a fetch, and the context that runs it.
package final class DescribedFetch<T: PersistentModel>: ModelFetch {
  package let descriptor: FetchDescriptor<T>
  package let editor: EditingState?

  package init(descriptor: FetchDescriptor<T>, editor: EditingState?) {
    self.descriptor = descriptor
    self.editor = editor
  }
}
