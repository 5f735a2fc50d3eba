import Synchronization

/// A linked list of templates that any thread may prepend to and traverse.
///
/// The chain retains its templates until it is deallocated, so a traversal counts no references.
final class TemplateChain: Sendable {
  /// The address of the first template; 0 if there is none.
  private let head = Atomic<UInt>(0)

  deinit {
    var next = head.load(ordering: .acquiring)
    while let template = Self.template(at: next) {
      next = template.next.load(ordering: .relaxed)
      unsafe Unmanaged.passUnretained(template).release()
    }
  }

  /// Traverses the templates, newest first, while `body` returns true.
  @inline(__always)
  func walk(_ body: (TranslationTemplate) -> Bool) {
    var next = head.load(ordering: .acquiring)
    while let template = Self.template(at: next), body(template) {
      next = template.next.load(ordering: .relaxed)
    }
  }

  func add(_ template: TranslationTemplate) {
    let address = unsafe UInt(bitPattern: Unmanaged.passRetained(template).toOpaque())
    var first = head.load(ordering: .relaxed)
    while true {
      template.next.store(first, ordering: .relaxed)
      let (isDone, other) = head.compareExchange(
        expected: first, desired: address, ordering: .acquiringAndReleasing)
      if isDone { return }
      first = other
    }
  }

  private static func template(at address: UInt) -> TranslationTemplate? {
    unsafe UnsafeRawPointer(bitPattern: address)
      .map { unsafe Unmanaged<TranslationTemplate>.fromOpaque($0).takeUnretainedValue() }
  }
}
