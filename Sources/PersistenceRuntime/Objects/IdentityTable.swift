import _CSwiftRuntime

/// Addresses of objects by primary key: a small hash table for few objects, pages for many.
///
/// Any thread may remove entries under the lock of the ``IdentityMap``. Only the map's inserting side inserts entries.
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

  /// True if a key certainly has no entry. Lock-free, for the inserting side only: other threads only remove entries.
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

/// Addresses of at most 256 objects by primary key, in at most eight kilobytes: an open-addressing hash table.
///
/// If objects are short-lived, the table stays in the first-level cache during a query of scattered rows. In contrast,
/// ``PagedIdentityTable`` would load several cache lines for each row, and evict the pages that SQLite searches.
struct SmallIdentityTable: ~Copyable {
  static let capacity = 256

  private struct Bucket {
    var key: Int64 = 0
    /// 0 if the entry is free.
    var address: UInt = 0
  }

  /// At least twice as many buckets as entries, so that the search for a free bucket is short.
  private var buckets: UnsafeMutablePointer<Bucket>
  private var mask = 15
  /// The shift that reduces a hash to the number of bits of the mask.
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

  /// The index of a key's entry, or of the free entry where it would be inserted.
  @inline(__always)
  private borrowing func index(of key: Int64) -> Int {
    var index = firstIndex(of: key)
    while buckets[index].address != 0, buckets[index].key != key { index = next(index) }
    return index
  }

  /// Frees an entry, and moves up entries of the same probe sequence so that look-ups still find them.
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

/// Addresses of many objects by primary key.
///
/// A store assigns keys in sequence, so a key is used as an index: its lowest 8 bits are a slot in a page of addresses.
/// Each page has an entry, with the page's address and a bit for each slot in use. Most look-ups are for rows without
/// an object, and the bit shows that without loading the page. Entries of neighbouring pages form a block. A directory
/// lists the blocks, so memory is allocated near existing keys only. A dictionary holds the keys beyond the directory.
struct PagedIdentityTable: ~Copyable {
  private typealias Page = UnsafeMutablePointer<UInt>
  /// The address of a page, and a bit for each of its slots.
  private typealias Entry = UnsafeMutablePointer<UInt64>
  /// The entries of neighbouring pages.
  private typealias Block = UnsafeMutablePointer<UInt64>

  private static let pageShift: Int64 = 8
  private static let pageSize = 1 << 8
  private static let entrySize = 1 + pageSize / 64
  private static let pagesPerBlock = 1 << 6
  private static let blockShift = pageShift + 6
  private static let blockSize = pagesPerBlock * entrySize
  /// The directory covers 64 million keys in 32 kilobytes.
  private static let directoryLimit: Int64 = 1 << 12
  private static let spareLimit = 128
  /// Below this number of blocks, empty blocks are not removed.
  private static let fewBlocks = 32
  private static let smallDictionary = 4_096

  private var directory: UnsafeMutablePointer<Block?>
  private var directoryCount = 0
  private(set) var blockCount = 0
  /// The number of pages that contain an object.
  private var pageCount = 0
  private var sparse: [Int64: UnsafeMutableRawPointer] = [:]
  /// Emptied pages for reuse. Without them, a query of scattered rows would allocate a page for each row.
  private var spares: ContiguousArray<Page> = []
  private(set) var count = 0

  init() {
    directory = .allocate(capacity: 0)
  }

  deinit {
    for index in 0..<directoryCount {
      guard let block = directory[index] else { continue }
      for page in 0..<Self.pagesPerBlock { Self.page(of: block + page * Self.entrySize)?.deallocate() }
      block.deallocate()
    }
    directory.deallocate()
    for page in spares { page.deallocate() }
  }

  /// The address at a key; nil if there is none.
  @inline(__always)
  borrowing func address(at key: Int64) -> UnsafeMutableRawPointer? {
    guard let entry = entry(of: key) else { return Self.isDense(key) ? nil : sparse[key] }
    guard Self.isTaken(key, in: entry), let page = Self.page(of: entry) else { return nil }
    return UnsafeMutableRawPointer(bitPattern: page[Self.slot(of: key)])
  }

  /// Whether a key certainly has no entry; may be false for a free key beyond the directory.
  ///
  /// Lock-free. Call it only from the inserting thread: concurrent removals cannot occupy a free slot, and they move
  /// neither the directory nor blocks.
  @inline(__always)
  borrowing func isFree(at key: Int64) -> Bool {
    guard let entry = entry(of: key) else { return Self.isDense(key) }
    return !Self.isTaken(key, in: entry)
  }

  /// All addresses, unordered.
  var addresses: [UnsafeMutableRawPointer] {
    var addresses = Array(sparse.values)
    for index in 0..<directoryCount {
      guard let block = directory[index] else { continue }
      for page in 0..<Self.pagesPerBlock where Self.page(of: block + page * Self.entrySize) != nil {
        let first = Int64(index) << Self.blockShift + Int64(page) << Self.pageShift
        addresses += (first..<first + Int64(Self.pageSize)).compactMap { address(at: $0) }
      }
    }
    return addresses
  }

  @inline(__always)
  mutating func insert(_ address: UnsafeMutableRawPointer, at key: Int64) {
    guard let entry = entry(of: key), Self.page(of: entry) != nil else { return insertFar(address, at: key) }
    if !Self.isTaken(key, in: entry) {
      Self.setTaken(true, key, in: entry)
      count &+= 1
    }
    Self.page(of: entry)?[Self.slot(of: key)] = UInt(bitPattern: address)
  }

  /// Inserts an address for a key whose page does not exist.
  @inline(never)
  private mutating func insertFar(_ address: UnsafeMutableRawPointer, at key: Int64) {
    guard Self.isDense(key) else { return insertSparse(address, at: key) }
    let entry = makeEntry(of: key)
    let page = Self.page(of: entry) ?? makePage(for: entry)
    Self.setTaken(true, key, in: entry)
    count &+= 1
    page[Self.slot(of: key)] = UInt(bitPattern: address)
  }

  @inline(__always)
  mutating func remove(at key: Int64) {
    guard let entry = entry(of: key) else { return removeSparse(at: key) }
    guard Self.isTaken(key, in: entry) else { return }
    Self.setTaken(false, key, in: entry)
    count &-= 1
    if (1..<Self.entrySize).allSatisfy({ entry[$0] == 0 }) { retire(entry) }
  }

  // MARK: Entries

  /// Whether the directory may grow to cover a key.
  @inline(__always)
  private static func isDense(_ key: Int64) -> Bool { key >= 0 && key >> blockShift < directoryLimit }

  /// The entry of a key's page; nil if there is no block.
  @inline(__always)
  private borrowing func entry(of key: Int64) -> Entry? {
    // A negative key is beyond every directory.
    let index = UInt64(bitPattern: key) >> UInt64(Self.blockShift)
    guard index < UInt64(directoryCount), let block = directory[Int(truncatingIfNeeded: index)] else { return nil }
    return block + (Int(key >> Self.pageShift) & (Self.pagesPerBlock &- 1)) &* Self.entrySize
  }

  @inline(__always)
  private static func page(of entry: Entry) -> Page? { Page(bitPattern: UInt(entry[0])) }

  @inline(__always)
  private static func slot(of key: Int64) -> Int { Int(key) & (pageSize - 1) }

  @inline(__always)
  private static func word(of key: Int64) -> Int { 1 + slot(of: key) >> 6 }

  @inline(__always)
  private static func bit(of key: Int64) -> UInt64 { 1 &<< UInt64(key & 63) }

  @inline(__always)
  private static func isTaken(_ key: Int64, in entry: Entry) -> Bool {
    osd_load_relaxed(entry + word(of: key)) & bit(of: key) != 0
  }

  @inline(__always)
  private static func setTaken(_ isTaken: Bool, _ key: Int64, in entry: Entry) {
    let word = entry + word(of: key)
    let others = osd_load_relaxed(word) & ~bit(of: key)
    osd_store_relaxed(word, isTaken ? others | bit(of: key) : others)
  }

  // MARK: Pages

  private mutating func retire(_ entry: Entry) {
    guard let page = Self.page(of: entry) else { return }
    entry[0] = 0
    pageCount -= 1
    if spares.count < Self.spareLimit { spares.append(page) } else { page.deallocate() }
  }

  private mutating func makePage(for entry: Entry) -> Page {
    // The page is not initialised: the bits determine which slots are in use.
    let page = spares.popLast() ?? Page.allocate(capacity: Self.pageSize)
    entry[0] = UInt64(UInt(bitPattern: page))
    pageCount += 1
    return page
  }

  // MARK: Blocks

  /// Returns the entry of a key that the directory may cover, and creates the entry's block if necessary.
  private mutating func makeEntry(of key: Int64) -> Entry {
    let index = Int(key >> Self.blockShift)
    if index >= directoryCount { growDirectory(to: index + 1) }
    let block = directory[index] ?? makeBlock(at: index)
    return block + (Int(key >> Self.pageShift) & (Self.pagesPerBlock - 1)) * Self.entrySize
  }

  private mutating func makeBlock(at index: Int) -> Block {
    if blockCount >= Self.fewBlocks, pageCount < blockCount / 2 { removeEmptyBlocks() }
    let block = Block.allocate(capacity: Self.blockSize)
    block.initialize(repeating: 0, count: Self.blockSize)
    directory[index] = block
    blockCount += 1
    return block
  }

  /// Called by ``makeBlock(at:)`` if over half of the blocks are empty, so that the cost is spread over many new
  /// blocks. A removal never calls this function, because the removal may run concurrently with a lock-free look-up.
  private mutating func removeEmptyBlocks() {
    for index in 0..<directoryCount {
      guard let block = directory[index],
        (0..<Self.pagesPerBlock).allSatisfy({ Self.page(of: block + $0 * Self.entrySize) == nil })
      else { continue }
      block.deallocate()
      directory[index] = nil
      blockCount -= 1
    }
  }

  private mutating func growDirectory(to count: Int) {
    let capacity = min(max(count, directoryCount * 2, 16), Int(Self.directoryLimit))
    let grown = UnsafeMutablePointer<Block?>.allocate(capacity: capacity)
    grown.initialize(repeating: nil, count: capacity)
    grown.update(from: directory, count: directoryCount)
    directory.deallocate()
    directory = grown
    directoryCount = capacity
  }

  // MARK: Keys beyond the directory

  var sparseCapacity: Int { sparse.capacity }

  private mutating func insertSparse(_ address: UnsafeMutableRawPointer, at key: Int64) {
    // A dictionary does not shrink by itself.
    if sparse.capacity > Self.smallDictionary, sparse.count < sparse.capacity / 8 {
      var smaller: [Int64: UnsafeMutableRawPointer] = [:]
      for (key, address) in sparse { smaller[key] = address }
      sparse = smaller
    }
    if sparse.updateValue(address, forKey: key) == nil { count &+= 1 }
  }

  private mutating func removeSparse(at key: Int64) {
    guard !Self.isDense(key), sparse.removeValue(forKey: key) != nil else { return }
    count &-= 1
    if sparse.isEmpty { sparse = [:] }
  }
}

/// Decoded objects that are registered in the identity map together.
///
/// Taking a lock drains the processor's store buffer. Right after an object is created, draining takes longer than
/// decoding its row, unless other rows are decoded in between. So up to 16 objects are registered under one lock. The
/// caller retains the objects until ``drain(_:)``. For the inserting side only.
struct PendingRegistrations: ~Copyable {
  private struct Entry {
    let key: Int64
    let address: UnsafeMutableRawPointer
  }

  private static let capacity = 16

  /// Allocated when the first object is added.
  private var entries: UnsafeMutablePointer<Entry>?
  private var count = 0
  private var greatestKey: Int64 = .min

  deinit {
    entries?.deallocate()
  }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == Self.capacity }

  /// Whether the object of a key is pending. If keys ascend, which is usual, one comparison is sufficient.
  @inline(__always)
  borrowing func contains(_ key: Int64) -> Bool {
    guard key <= greatestKey, let entries else { return false }
    return (0..<count).contains { entries[$0].key == key }
  }

  /// Adds an object. Precondition: not ``isFull``.
  @inline(__always)
  mutating func append(_ address: UnsafeMutableRawPointer, key: Int64) {
    let entries = entries ?? allocate()
    (entries + count).initialize(to: Entry(key: key, address: address))
    count &+= 1
    greatestKey = max(greatestKey, key)
  }

  /// Passes all objects in order to a closure, and removes them.
  @inline(__always)
  mutating func drain(_ body: (UnsafeMutableRawPointer, Int64) -> Void) {
    if let entries {
      for index in 0..<count { body(entries[index].address, entries[index].key) }
    }
    count = 0
    greatestKey = .min
  }

  private mutating func allocate() -> UnsafeMutablePointer<Entry> {
    let allocated = UnsafeMutablePointer<Entry>.allocate(capacity: Self.capacity)
    entries = allocated
    return allocated
  }
}
