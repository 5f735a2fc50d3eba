/// Ascending keys, stored as ranges. The keys of a table without gaps take constant memory.
struct KeyRanges {
  private var ranges: [ClosedRange<Int64>] = []

  /// The greatest key; nil if there are no keys.
  var last: Int64? { ranges.last?.upperBound }

  /// Adds a key that is greater than all earlier keys.
  mutating func append(_ key: Int64) {
    guard let range = ranges.last, range.upperBound < .max, range.upperBound + 1 == key else {
      ranges.append(key...key)
      return
    }
    ranges[ranges.count - 1] = range.lowerBound...key
  }

  /// Passes the keys to a block in batches.
  func forEachBatch(of size: Int, _ body: ([Int64]) throws -> Void) rethrows {
    var batch: [Int64] = []
    for range in ranges {
      for key in range {
        batch.append(key)
        guard batch.count == size else { continue }
        try body(batch)
        batch.removeAll(keepingCapacity: true)
      }
    }
    if !batch.isEmpty { try body(batch) }
  }
}
