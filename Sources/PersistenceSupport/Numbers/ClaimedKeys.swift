/// Keys of decoded identifiers, whose rows may not exist, in bounded memory (decision 48).
///
/// Keys that follow each other take one place. Of more places than the limit, those nearest to each other become one, and
/// every key between them counts as claimed.
struct ClaimedKeys: Sendable {
  /// The number of places, and of keys that have none yet.
  private static let limit = 4_096
  /// The largest gap between claims that new keys skip: a claim may come from untrusted data.
  private static let reach: UInt64 = 1 << 16
  /// The largest number of keys that one save skips.
  static let mostSkipped: Int64 = 1 << 32

  /// Keys that are not in ``ranges`` yet.
  private var recent: Set<Int64> = []
  /// Ascending, with a gap before each.
  private var ranges: [ClosedRange<Int64>] = []

  var isEmpty: Bool { recent.isEmpty && ranges.isEmpty }

  func contains(_ key: Int64) -> Bool {
    if recent.contains(key) { return true }
    let index = firstIndex(endingAtOrAfter: key)
    return index < ranges.count && ranges[index].contains(key)
  }

  mutating func insert(_ key: Int64) {
    guard !contains(key) else { return }
    recent.insert(key)
    if recent.count >= Self.limit { settle() }
  }

  /// Drops the keys below one that the store has not used: they belong to rows, or to none for ever.
  mutating func drop(below first: Int64) {
    settle()
    ranges.removeFirst(firstIndex(endingAtOrAfter: first))
    if let range = ranges.first, range.lowerBound < first { ranges[0] = first...range.upperBound }
  }

  /// How many keys from one on new objects must skip, so that they get none of these.
  ///
  /// Skips claims as long as the next one is near.
  mutating func countToSkip(from first: Int64) -> Int64 {
    settle()
    var next = first
    for range in ranges[firstIndex(endingAtOrAfter: first)...] {
      let gap = range.lowerBound <= next ? 0 : UInt64(bitPattern: range.lowerBound &- next)
      let end = range.upperBound.subtractingReportingOverflow(first)
      // There is no key after the greatest number.
      guard gap < Self.reach, !end.overflow, end.partialValue < Self.mostSkipped, range.upperBound < .max else { break }
      next = range.upperBound + 1
    }
    return next - first
  }

  /// The number of these keys, up to a limit.
  var boundedCount: Int {
    let most = UInt64(Self.reach)
    let count = ranges.reduce(UInt64(recent.count)) { count, range in
      let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
      return count + min(most, span) + 1
    }
    return Int(min(count, most))
  }

  /// The parts of a range without these keys.
  func unclaimed(in range: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
    var settled = self
    settled.settle()
    var parts: [ClosedRange<Int64>] = []
    var next = range.lowerBound
    for claimed in settled.ranges[settled.firstIndex(endingAtOrAfter: range.lowerBound)...] {
      guard claimed.lowerBound <= range.upperBound else { break }
      if next < claimed.lowerBound { parts.append(next...claimed.lowerBound - 1) }
      guard claimed.upperBound < range.upperBound else { return parts }
      next = claimed.upperBound + 1
    }
    parts.append(next...range.upperBound)
    return parts
  }

  // MARK: Ranges

  /// The index of the first range that does not end before a key.
  private func firstIndex(endingAtOrAfter key: Int64) -> Int {
    var (low, high) = (0, ranges.count)
    while low < high {
      let middle = (low + high) / 2
      if ranges[middle].upperBound < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Takes the recent keys into the ranges.
  private mutating func settle() {
    guard !recent.isEmpty else { return }
    let all = (ranges + recent.map { $0...$0 }).sorted { $0.lowerBound < $1.lowerBound }
    recent = []
    ranges = Self.joined(all) { $0 <= 1 }
    guard ranges.count > Self.limit else { return }
    let distances = zip(ranges, ranges.dropFirst()).map { Self.distance($0, $1) }
    // Half of the limit, so that the next claim is not the next reason to sort.
    let widest = distances.sorted()[ranges.count - Self.limit / 2]
    ranges = Self.joined(ranges) { $0 <= widest }
  }

  private static func distance(_ range: ClosedRange<Int64>, _ next: ClosedRange<Int64>) -> UInt64 {
    UInt64(bitPattern: next.lowerBound &- range.upperBound)
  }

  /// Joins ascending ranges that are near each other.
  private static func joined(
    _ ranges: [ClosedRange<Int64>], _ areNear: (UInt64) -> Bool
  ) -> [ClosedRange<Int64>] {
    var result: [ClosedRange<Int64>] = []
    result.reserveCapacity(ranges.count)
    for range in ranges {
      if let last = result.last, areNear(distance(last, range)) {
        result[result.count - 1] = last.lowerBound...range.upperBound
      } else {
        result.append(range)
      }
    }
    return result
  }
}
