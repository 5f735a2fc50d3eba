/// The objects of rows that wait to be put into the table of an identity map, several at once.
///
/// The table has a lock, and taking a lock has the processor wait until all that it wrote before has arrived in memory. For
/// an object that has just been made that takes longer than reading its row, unless other rows are read meanwhile. Whoever
/// puts objects in holds them until ``drain(_:)``; used only by whoever may use the context.
struct PendingRegistrations: ~Copyable {
  private struct Arrival {
    let key: Int64
    let address: UnsafeMutableRawPointer
  }

  private static let capacity = 16

  /// Allocated with the first object.
  private var arrivals: UnsafeMutablePointer<Arrival>?
  private var count = 0
  private var greatestKey: Int64 = .min

  deinit {
    arrivals?.deallocate()
  }

  var isEmpty: Bool { count == 0 }
  var isFull: Bool { count == Self.capacity }

  /// Whether the object of a key is among those that wait. Rows mostly come in the order of their keys.
  @inline(__always)
  borrowing func contains(_ key: Int64) -> Bool {
    guard key <= greatestKey, let arrivals else { return false }
    return (0..<count).contains { arrivals[$0].key == key }
  }

  /// Adds an object. There has to be room: ``isFull`` is asked after each.
  @inline(__always)
  mutating func append(_ address: UnsafeMutableRawPointer, key: Int64) {
    let arrivals = arrivals ?? allocate()
    (arrivals + count).initialize(to: Arrival(key: key, address: address))
    count &+= 1
    greatestKey = max(greatestKey, key)
  }

  /// Hands every object out, the first first.
  @inline(__always)
  mutating func drain(_ body: (UnsafeMutableRawPointer, Int64) -> Void) {
    if let arrivals {
      for index in 0..<count { body(arrivals[index].address, arrivals[index].key) }
    }
    count = 0
    greatestKey = .min
  }

  private mutating func allocate() -> UnsafeMutablePointer<Arrival> {
    let allocated = UnsafeMutablePointer<Arrival>.allocate(capacity: Self.capacity)
    arrivals = allocated
    return allocated
  }
}
