/// Addresses of objects by primary key: a small hash table for few objects, pages for many.
///
/// Any thread may remove entries under the lock. Only the inserting side inserts.
struct IdentityTable: ~Copyable {
  private var small = SmallIdentityTable()
  private var paged = PagedIdentityTable()
  /// Whether the entries are in pages. Only insertions change it.
  private var isPaged = false

  /// The address at a key; nil if there is none.
  @inline(__always)
  borrowing func address(at key: Int64) -> UnsafeMutableRawPointer? {
    isPaged ? paged.address(at: key) : small.address(at: key)
  }

  /// Whether a key certainly has no entry. Lock-free: other threads only remove. For the inserting side only.
  @inline(__always)
  borrowing func isFree(at key: Int64) -> Bool {
    isPaged && paged.isFree(at: key)
  }

  @inline(__always)
  mutating func insert(_ address: UnsafeMutableRawPointer, at key: Int64) {
    if isPaged, paged.count == 0 { isPaged = false }
    if !isPaged, small.count == SmallIdentityTable.capacity { page() }
    if isPaged { paged.insert(address, at: key) } else { small.insert(address, at: key) }
  }

  @inline(__always)
  mutating func remove(at key: Int64) {
    if isPaged { paged.remove(at: key) } else { small.remove(at: key) }
  }

  /// The number of entries.
  var count: Int { isPaged ? paged.count : small.count }

  /// All addresses, unordered.
  var addresses: [UnsafeMutableRawPointer] {
    isPaged ? paged.addresses : small.entries.map(\.address)
  }

  /// Moves the entries to pages, which stay allocated when they become empty.
  private mutating func page() {
    for (key, address) in small.entries { paged.insert(address, at: key) }
    small.removeAll()
    isPaged = true
  }
}
