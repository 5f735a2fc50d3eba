/// The order of a to-many relationship as numbers.
///
/// Models are ordered by their keys, which is the order of their first saves if the engine's keys rise. A moved model
/// gets a position of its own between keys. Models that are not moved or are appended need no number, unless their keys
/// are less than those before them (decision 11).
package enum ListOrder {
  /// The explicit position of a model.
  package struct Position: Sendable, Hashable {
    package let key: Int64
    package let rank: Double

    package init(key: Int64, rank: Double) {
      self.key = key
      self.rank = rank
    }
  }

  /// The positions to change so that the models have the given order.
  ///
  /// - Parameters:
  ///   - members: The keys in the new order, with the current positions.
  ///   - end: A key above all keys in use: models appended later come after it. If keys do not rise, ``end(of:)``.
  package static func moves(_ members: [Position], end: Int64) -> [Position] {
    let staying = longestRise(members)
    guard staying.count < members.count else { return [] }
    return moves(members, staying: staying, end: Double(end)) ?? renumbered(members, end: Double(end))
  }

  /// A key above all positions of a list, for an engine whose keys do not rise: models appended later are compared with
  /// the positions.
  package static func end(of members: [Position]) -> Int64 {
    let last = members.reduce(0) { max($0, $1.rank) }
    return min(Int64(exactly: last.rounded(.up)) ?? EngineKeys.greatest, EngineKeys.greatest) + 1
  }

  /// Positions for the models that move, evenly between their neighbours; nil if two neighbours have no number between
  /// them.
  private static func moves(_ members: [Position], staying: [Int], end: Double) -> [Position]? {
    var result: [Position] = []
    var index = 0
    var lower: Double?
    for anchor in staying.map(Optional.some) + [nil] {
      let next = anchor ?? members.count
      let upper = anchor.map { members[$0].rank } ?? lower.map { $0 < end ? end : $0 + 1 } ?? end
      let count = Double(next - index)
      let start = lower ?? upper - count - 1
      for (offset, member) in members[index..<next].enumerated() {
        let rank = start + (upper - start) * (Double(offset + 1) / (count + 1))
        guard rank > (result.last.map { max($0.rank, start) } ?? start), rank < upper else { return nil }
        result.append(Position(key: member.key, rank: rank))
      }
      lower = anchor.map { members[$0].rank }
      index = next + 1
    }
    return result
  }

  private static func renumbered(_ members: [Position], end: Double) -> [Position] {
    let start = end - Double(members.count)
    return members.enumerated().map { Position(key: $1.key, rank: start + Double($0)) }
  }

  /// The indices of a longest increasing subsequence of the positions; these models keep theirs.
  private static func longestRise(_ members: [Position]) -> [Int] {
    var tails: [Int] = []
    var before = [Int](repeating: -1, count: members.count)
    for index in members.indices {
      let rank = members[index].rank
      var (low, high) = (0, tails.count)
      if let last = tails.last, members[last].rank < rank { low = high }
      while low < high {
        let middle = (low + high) / 2
        if members[tails[middle]].rank < rank { low = middle + 1 } else { high = middle }
      }
      before[index] = low > 0 ? tails[low - 1] : -1
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var result: [Int] = []
    var index = tails.last ?? -1
    while index >= 0 {
      result.append(index)
      index = before[index]
    }
    return result.reversed()
  }
}
