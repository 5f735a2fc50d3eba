/// Addresses of at most 256 objects by primary key, in at most eight kilobytes: an open-addressing hash table.
///
/// A query of scattered rows with short-lived objects stays in the first-level cache. ``PagedIdentityTable`` would
/// touch several cache lines for each row, and evict what SQLite searches.
struct SmallIdentityTable: ~Copyable {
  static let capacity = 256

  private struct Bucket {
    var key: Int64 = 0
    /// 0 if the entry is free.
    var address: UInt = 0
  }

  /// Twice the capacity, so that a free entry is near.
  private var buckets: UnsafeMutablePointer<Bucket>
  private var mask = 15
  /// The shift that leaves as many bits of a hash as the mask has.
  private var shift: UInt64 = 60
  private(set) var count = 0

  init() {
    buckets = Self.makeBuckets(mask + 1)
  }

  deinit {
    buckets.deallocate()
  }

  @inline(__always)
  borrowing func address(at key: Int64) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: buckets[index(of: key)].address)
  }

  /// Inserts an address. ``IdentityTable`` enforces ``capacity``.
  @inline(__always)
  mutating func insert(_ address: UnsafeMutableRawPointer, at key: Int64) {
    if count &* 2 > mask { grow() }
    let index = index(of: key)
    if buckets[index].address == 0 { count &+= 1 }
    buckets[index] = Bucket(key: key, address: UInt(bitPattern: address))
  }

  @inline(__always)
  mutating func remove(at key: Int64) {
    let index = index(of: key)
    guard buckets[index].address != 0 else { return }
    count &-= 1
    close(index)
  }

  /// All keys and addresses, unordered.
  var entries: [(key: Int64, address: UnsafeMutableRawPointer)] {
    (0...mask).compactMap { index in
      UnsafeMutableRawPointer(bitPattern: buckets[index].address).map { (buckets[index].key, $0) }
    }
  }

  mutating func removeAll() {
    buckets.update(repeating: Bucket(), count: mask + 1)
    count = 0
  }

  private mutating func grow() {
    let (former, formerCount) = (buckets, mask + 1)
    mask = mask * 2 + 1
    shift -= 1
    buckets = Self.makeBuckets(mask + 1)
    for index in 0..<formerCount where former[index].address != 0 {
      buckets[self.index(of: former[index].key)] = former[index]
    }
    former.deallocate()
  }

  private static func makeBuckets(_ count: Int) -> UnsafeMutablePointer<Bucket> {
    let buckets = UnsafeMutablePointer<Bucket>.allocate(capacity: count)
    buckets.initialize(repeating: Bucket(), count: count)
    return buckets
  }

  /// The index of a key's entry, or of the free entry for it.
  @inline(__always)
  private borrowing func index(of key: Int64) -> Int {
    var index = firstIndex(of: key)
    while buckets[index].address != 0, buckets[index].key != key { index = next(index) }
    return index
  }

  /// Frees an entry, and moves up entries of the same probe sequence so that none is lost.
  private borrowing func close(_ freed: Int) {
    var hole = freed
    var index = next(freed)
    while buckets[index].address != 0 {
      let first = firstIndex(of: buckets[index].key)
      if distance(from: first, to: index) >= distance(from: hole, to: index) {
        buckets[hole] = buckets[index]
        hole = index
      }
      index = next(index)
    }
    buckets[hole] = Bucket()
  }

  @inline(__always)
  private borrowing func firstIndex(of key: Int64) -> Int {
    // Fibonacci hashing: keys at distances of a power of two do not collide.
    Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) &>> shift)
  }

  @inline(__always)
  private borrowing func next(_ index: Int) -> Int { (index &+ 1) & mask }

  @inline(__always)
  private borrowing func distance(from start: Int, to end: Int) -> Int { (end &- start) & mask }
}
