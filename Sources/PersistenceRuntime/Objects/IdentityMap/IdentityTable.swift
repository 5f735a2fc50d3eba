/// Addresses of objects by primary key: in little memory while they are few, and in pages once they are many.
///
/// Any thread may remove what it has the lock for; only whoever may use the context inserts.
struct IdentityTable: ~Copyable {
  private var small = SmallIdentityTable()
  private var paged = PagedIdentityTable()
  /// Whether the objects are in pages. Changed by insertions alone.
  private var isPaged = false

  /// The address at a key, if there is one.
  @inline(__always)
  borrowing func address(at key: Int64) -> UnsafeMutableRawPointer? {
    isPaged ? paged.address(at: key) : small.address(at: key)
  }

  /// Whether there is no address at a key, as far as can be told without the lock; for whoever inserts.
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

  /// How many addresses there are.
  var count: Int { isPaged ? paged.count : small.count }

  /// Every address, in no order.
  var addresses: [UnsafeMutableRawPointer] {
    isPaged ? paged.addresses : small.entries.map(\.address)
  }

  /// Moves to pages. They are kept when they are empty again.
  private mutating func page() {
    for (key, address) in small.entries { paged.insert(address, at: key) }
    small.removeAll()
    isPaged = true
  }
}
