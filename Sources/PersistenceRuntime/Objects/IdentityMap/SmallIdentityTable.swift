/// Addresses of at most 256 objects by primary key, in eight kilobytes at most however far apart the keys are.
///
/// A query of scattered rows, whose objects go soon, stays in the processor's nearest cache. The pages of
/// ``PagedIdentityTable`` would take a few lines of cache for each row, which pushes out what SQLite searches.
struct SmallIdentityTable: ~Copyable {
  static let capacity = 256

  private struct Place {
    var key: Int64 = 0
    /// 0 where the place is free.
    var address: UInt = 0
  }

  /// Twice as many as there may be objects, so that a free place is near.
  private var places: UnsafeMutablePointer<Place>
  private var mask = 15
  /// How far the hash of a key is shifted, so that as many of its bits are left as the mask has.
  private var shift: UInt64 = 60
  private(set) var count = 0

  init() {
    places = Self.makePlaces(mask + 1)
  }

  deinit {
    places.deallocate()
  }

  @inline(__always)
  borrowing func address(at key: Int64) -> UnsafeMutableRawPointer? {
    UnsafeMutableRawPointer(bitPattern: places[place(of: key)].address)
  }

  /// Puts an address at a key. ``IdentityTable`` sees to it that there are no more than ``capacity``.
  @inline(__always)
  mutating func insert(_ address: UnsafeMutableRawPointer, at key: Int64) {
    if count &* 2 > mask { grow() }
    let place = place(of: key)
    if places[place].address == 0 { count &+= 1 }
    places[place] = Place(key: key, address: UInt(bitPattern: address))
  }

  @inline(__always)
  mutating func remove(at key: Int64) {
    let place = place(of: key)
    guard places[place].address != 0 else { return }
    count &-= 1
    close(place)
  }

  /// Every key and its address, in no order.
  var entries: [(key: Int64, address: UnsafeMutableRawPointer)] {
    (0...mask).compactMap { index in
      UnsafeMutableRawPointer(bitPattern: places[index].address).map { (places[index].key, $0) }
    }
  }

  mutating func removeAll() {
    places.update(repeating: Place(), count: mask + 1)
    count = 0
  }

  private mutating func grow() {
    let (former, formerCount) = (places, mask + 1)
    mask = mask * 2 + 1
    shift -= 1
    places = Self.makePlaces(mask + 1)
    for index in 0..<formerCount where former[index].address != 0 {
      places[place(of: former[index].key)] = former[index]
    }
    former.deallocate()
  }

  private static func makePlaces(_ count: Int) -> UnsafeMutablePointer<Place> {
    let places = UnsafeMutablePointer<Place>.allocate(capacity: count)
    places.initialize(repeating: Place(), count: count)
    return places
  }

  /// Where a key is, or would be put.
  @inline(__always)
  private borrowing func place(of key: Int64) -> Int {
    var place = firstPlace(of: key)
    while places[place].address != 0, places[place].key != key { place = next(place) }
    return place
  }

  /// Frees a place. What would be looked for across it moves up, so that no search ends too early.
  private borrowing func close(_ freed: Int) {
    var hole = freed
    var place = next(freed)
    while places[place].address != 0 {
      let first = firstPlace(of: places[place].key)
      if distance(from: first, to: place) >= distance(from: hole, to: place) {
        places[hole] = places[place]
        hole = place
      }
      place = next(place)
    }
    places[hole] = Place()
  }

  @inline(__always)
  private borrowing func firstPlace(of key: Int64) -> Int {
    // Fibonacci hashing: keys that are a power of two apart must not meet.
    Int(truncatingIfNeeded: (UInt64(bitPattern: key) &* 0x9E37_79B9_7F4A_7C15) &>> shift)
  }

  @inline(__always)
  private borrowing func next(_ place: Int) -> Int { (place &+ 1) & mask }

  @inline(__always)
  private borrowing func distance(from start: Int, to end: Int) -> Int { (end &- start) & mask }
}
