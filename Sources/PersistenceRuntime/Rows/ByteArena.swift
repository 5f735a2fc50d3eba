/// Memory for the text and bytes of one row, so that a store can bind them without copying.
///
/// Confined to the session that owns it. Copies stay at their addresses until the next row.
@usableFromInline
package final class ByteArena {
  private static let blockSize = 64 * 1024

  /// The position of the next copy, allocated separately so that generated code reaches it without reference counting.
  @usableFromInline package let cursor: UnsafeMutablePointer<ByteArenaCursor>
  /// Copies that exceeded the rest of the block.
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

  /// Copies bytes that exceed the rest of the block. Never null, not even for no bytes: a store binds null as NULL.
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
  /// Whether the next row needs preparation, for any reason: a single flag, because every row tests it.
  @usableFromInline var needsPreparation = false

  init(start: UnsafeMutableRawPointer, next: UnsafeMutableRawPointer, end: UnsafeMutableRawPointer) {
    self.start = start
    self.next = next
    self.end = end
  }
}
