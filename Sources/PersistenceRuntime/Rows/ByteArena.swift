/// Memory for the text and bytes of one row, so that a store can use them without copies of its own.
///
/// Confined to the session that owns it. Copies stay where they are until ``reset()``.
@usableFromInline
package final class ByteArena {
  private static let blockSize = 64 * 1024

  /// Where the next copy goes, in memory of its own so that generated code reaches it without counting references.
  @usableFromInline package let cursor: UnsafeMutablePointer<ByteArenaCursor>
  /// Copies too large for what was left of the block.
  private var large: [UnsafeMutableRawPointer] = []

  package init() {
    let block = UnsafeMutableRawPointer.allocate(byteCount: Self.blockSize, alignment: 16)
    cursor = .allocate(capacity: 1)
    cursor.initialize(to: ByteArenaCursor(start: block, next: block, end: block + Self.blockSize))
  }

  deinit {
    cursor.pointee.start.deallocate()
    cursor.deallocate()
    for copy in large { copy.deallocate() }
  }

  package func freeLarge() {
    for copy in large { copy.deallocate() }
    large.removeAll()
  }

  /// Copies bytes that the block has no room for. Never null, not even for no bytes: to a store, null is no value.
  @usableFromInline
  package func copyLarge(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
    let copy = UnsafeMutableRawPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
    if let source = bytes.baseAddress { copy.copyMemory(from: source, byteCount: bytes.count) }
    large.append(copy)
    cursor.pointee.needsPreparation = true
    return copy
  }
}

/// The state of a ``ByteArena`` that changes with every copy.
@frozen
@usableFromInline
package struct ByteArenaCursor {
  @usableFromInline let start: UnsafeMutableRawPointer
  @usableFromInline var next: UnsafeMutableRawPointer
  @usableFromInline let end: UnsafeMutableRawPointer
  /// Whether there is something to do before the next row: one question for all reasons, because each row asks it.
  @usableFromInline var needsPreparation = false

  init(start: UnsafeMutableRawPointer, next: UnsafeMutableRawPointer, end: UnsafeMutableRawPointer) {
    self.start = start
    self.next = next
    self.end = end
  }
}
