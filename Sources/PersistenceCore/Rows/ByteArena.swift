/// Memory for the text and bytes of one row, so that a store can use them without copies of its own.
///
/// Confined to the session that owns it. Copies stay where they are until ``reset()``.
@usableFromInline
package final class ByteArena {
  private static let blockSize = 64 * 1024

  // Touched for every text of a row, and only by the session that owns the arena.
  @exclusivity(unchecked) private var block = UnsafeMutableRawBufferPointer.allocate(byteCount: ByteArena.blockSize, alignment: 16)
  @exclusivity(unchecked) private var used = 0
  /// Blocks that filled up, and copies too large for a block.
  @exclusivity(unchecked) private var full: [UnsafeMutableRawBufferPointer] = []

  init() {}

  deinit {
    block.deallocate()
    for block in full { block.deallocate() }
  }

  @usableFromInline
  func reset() {
    used = 0
    guard !full.isEmpty else { return }
    for block in full { block.deallocate() }
    full.removeAll()
  }

  /// Copies bytes to a place where they stay. Never null, not even for no bytes: to a store, null is no value.
  @usableFromInline
  func copy(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
    guard let base = block.baseAddress, used + bytes.count <= block.count else { return copyLarge(bytes) }
    let target = base + used
    if let source = bytes.baseAddress { target.copyMemory(from: source, byteCount: bytes.count) }
    used += bytes.count
    return target
  }

  private func copyLarge(_ bytes: UnsafeRawBufferPointer) -> UnsafeMutableRawPointer {
    let own = UnsafeMutableRawBufferPointer.allocate(byteCount: max(bytes.count, 1), alignment: 16)
    own.copyMemory(from: bytes)
    full.append(own)
    return own.baseAddress ?? UnsafeMutableRawPointer(bitPattern: 16).unsafelyUnwrapped
  }
}
