import Synchronization

/// Templates that grow at the front, and which anybody may walk through meanwhile.
///
/// A template that is in the chain is owned by it, and stays until the chain goes: walking takes no references.
final class TemplateChain: Sendable {
  /// The address of the first template; 0 where there is none.
  private let head = Atomic<UInt>(0)

  deinit {
    var next = head.load(ordering: .acquiring)
    while let template = Self.template(at: next) {
      next = template.next.load(ordering: .relaxed)
      unsafe Unmanaged.passUnretained(template).release()
    }
  }

  /// Shows every template, the newest first, as long as `body` says to go on.
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
