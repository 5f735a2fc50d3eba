import CSwiftRuntime

/// Addresses of many objects by primary key.
///
/// Keys are handed out in sequence, so they index pages of addresses directly. Which places of a page are taken is noted in
/// the directory, in a bit each: most look-ups are for objects that a fetch is about to make, and find that there is none
/// without waiting for the page's memory. Keys beyond the directory's reach are in a dictionary.
struct PagedIdentityTable: ~Copyable {
  private typealias Page = UnsafeMutablePointer<UInt>
  /// The address of a page, and the bits of its places.
  private typealias Entry = UnsafeMutablePointer<UInt64>

  private static let pageShift: Int64 = 8
  private static let pageSize = 1 << 8
  private static let entrySize = 1 + pageSize / 64
  /// The directory reaches 64 million keys in ten megabytes.
  private static let directoryLimit: Int64 = 1 << 18
  private static let spareLimit = 128

  private var directory: Entry
  private var directoryCount = 0
  private var sparse: [Int64: UnsafeMutableRawPointer] = [:]
  /// Pages that were emptied: a query of scattered rows touches a page for each, and would allocate them every time.
  private var spares: ContiguousArray<Page> = []
  private(set) var count = 0

  init() {
    directory = .allocate(capacity: 0)
  }

  deinit {
    for index in 0..<directoryCount { Self.page(of: entry(at: index))?.deallocate() }
    directory.deallocate()
    for page in spares { page.deallocate() }
  }

  /// The address at a key, if there is one.
  @inline(__always)
  borrowing func address(at key: Int64) -> UnsafeMutableRawPointer? {
    let index = key >> Self.pageShift
    guard Self.isDense(index) else { return sparse[key] }
    guard index < Int64(directoryCount) else { return nil }
    let entry = entry(at: Int(index))
    guard Self.isTaken(key, in: entry), let page = Self.page(of: entry) else { return nil }
    return UnsafeMutableRawPointer(bitPattern: page[Self.place(of: key)])
  }

  /// Whether there is no address at a key, as far as can be told without the lock: false where that is needed.
  ///
  /// For whoever inserts. Others only remove, so that a place that is free stays so, and the directory stays where it is.
  @inline(__always)
  borrowing func isFree(at key: Int64) -> Bool {
    let index = key >> Self.pageShift
    guard Self.isDense(index) else { return false }
    return index >= Int64(directoryCount) || !Self.isTaken(key, in: entry(at: Int(index)))
  }

  /// Every address, in no order.
  var addresses: [UnsafeMutableRawPointer] {
    var addresses = Array(sparse.values)
    for index in 0..<directoryCount where Self.page(of: entry(at: index)) != nil {
      let first = Int64(index) << Self.pageShift
      addresses += (first..<first + Int64(Self.pageSize)).compactMap { address(at: $0) }
    }
    return addresses
  }

  @inline(__always)
  mutating func insert(_ address: UnsafeMutableRawPointer, at key: Int64) {
    let index = key >> Self.pageShift
    guard Self.isDense(index) else {
      if sparse.updateValue(address, forKey: key) == nil { count &+= 1 }
      return
    }
    if index >= Int64(directoryCount) { grow(to: Int(index) + 1) }
    let entry = entry(at: Int(index))
    if !Self.isTaken(key, in: entry) {
      Self.setTaken(true, key, in: entry)
      count &+= 1
    }
    let page = Self.page(of: entry) ?? makePage(for: entry)
    page[Self.place(of: key)] = UInt(bitPattern: address)
  }

  @inline(__always)
  mutating func remove(at key: Int64) {
    let index = key >> Self.pageShift
    guard Self.isDense(index) else {
      if sparse.removeValue(forKey: key) != nil { count &-= 1 }
      return
    }
    guard index < Int64(directoryCount) else { return }
    let entry = entry(at: Int(index))
    guard Self.isTaken(key, in: entry) else { return }
    Self.setTaken(false, key, in: entry)
    count &-= 1
    if (1..<Self.entrySize).allSatisfy({ entry[$0] == 0 }) { retire(entry) }
  }

  /// Whether keys of a page are in the directory, once it is large enough.
  @inline(__always)
  private static func isDense(_ index: Int64) -> Bool { index >= 0 && index < directoryLimit }

  @inline(__always)
  private borrowing func entry(at index: Int) -> Entry { directory + index &* Self.entrySize }

  @inline(__always)
  private static func page(of entry: Entry) -> Page? { Page(bitPattern: UInt(entry[0])) }

  @inline(__always)
  private static func place(of key: Int64) -> Int { Int(key) & (pageSize - 1) }

  @inline(__always)
  private static func word(of key: Int64) -> Int { 1 + place(of: key) >> 6 }

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

  private mutating func retire(_ entry: Entry) {
    guard let page = Self.page(of: entry) else { return }
    entry[0] = 0
    if spares.count < Self.spareLimit { spares.append(page) } else { page.deallocate() }
  }

  private mutating func makePage(for entry: Entry) -> Page {
    // What is in it does not matter where no bit says that a place is taken.
    let page = spares.popLast() ?? Page.allocate(capacity: Self.pageSize)
    entry[0] = UInt64(UInt(bitPattern: page))
    return page
  }

  private mutating func grow(to count: Int) {
    let capacity = min(max(count, directoryCount * 2, 16), Int(Self.directoryLimit))
    let grown = Entry.allocate(capacity: capacity * Self.entrySize)
    grown.initialize(repeating: 0, count: capacity * Self.entrySize)
    grown.update(from: directory, count: directoryCount * Self.entrySize)
    directory.deallocate()
    directory = grown
    directoryCount = capacity
  }
}
