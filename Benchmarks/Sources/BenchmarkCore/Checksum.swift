/// A number that is equal for two contenders (the libraries that the benchmark compares) if they have read the same
/// rows, in any order. Functions that are called while the time is measured are inlinable, so that they read fields as
/// the contender's own code would.
public enum Checksum {
  /// The checksum of every column of every item.
  public static func ofAll(_ items: some Sequence<some ItemFields>) -> Int {
    items.reduce(0) { $0 &+ ofItem($1) }
  }

  /// The checksum of a query's result: the number of items, and one field of the last item. It reads no other fields,
  /// because another workload measures reading.
  @inlinable @inline(__always)
  public static func ofQuery(_ items: [some ItemFields]) -> Int {
    items.count &* 1_000_003 &+ (items.last?.count ?? 0)
  }

  /// The checksum of a set of identifiers: the size of the set, and how many of the looked-up identifiers it contains.
  @inlinable @inline(__always)
  public static func ofSet<Identifier>(_ set: Set<Identifier>, lookedUp identifiers: [Identifier]) -> Int {
    let found = identifiers.reduce(0) { set.contains($1) ? $0 + 1 : $0 }
    return set.count &* 1_000_003 &+ found
  }

  /// The checksum of three fields of one item.
  @inlinable @inline(__always)
  public static func ofThreeFields(_ item: some ItemFields) -> Int {
    item.count &+ Int(item.score) &+ item.name.utf8.count
  }

  /// The checksum of the fields of one item that no situation changes.
  @inlinable @inline(__always)
  public static func ofUnchangedFields(_ item: some ItemFields) -> Int {
    item.count &+ item.name.utf8.count &+ item.title.utf8.count
  }

  private static func ofItem(_ item: some ItemFields) -> Int {
    var bits: UInt64 = 0xCBF2_9CE4_8422_2325
    for text in [item.name, item.title, item.body, item.note ?? "none"] {
      for byte in text.utf8 { bits = (bits ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
    for number in [Double(item.count), item.score, item.created.timeIntervalSinceReferenceDate] {
      bits = (bits ^ number.bitPattern) &* 0x100_0000_01B3
    }
    return Int(truncatingIfNeeded: bits)
  }
}
