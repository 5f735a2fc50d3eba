/// The order of a to-many relationship as numbers.
///
/// A model stands where its key puts it, in the order in which models were saved, until somebody moves it; then it has a
/// position of its own among the keys. What nobody moves costs nothing, and what is appended needs no number.
package enum ListOrder {
  /// A model's own position.
  package struct Position: Sendable, Hashable {
    package let key: Int64
    package let place: Double

    package init(key: Int64, place: Double) {
      self.key = key
      self.place = place
    }
  }

  /// The positions that have to change so that models stand in the order in which they are given.
  ///
  /// - Parameters:
  ///   - members: The keys in the wanted order with the places where they stand now.
  ///   - end: A key that no model has yet: whatever is appended later stands behind it.
  package static func moves(_ members: [Position], end: Int64) -> [Position] {
    let staying = longestRise(members)
    guard staying.count < members.count else { return [] }
    return moves(members, staying: staying, end: Double(end)) ?? renumbered(members, end: Double(end))
  }

  /// Places for those that do not stay, evenly between their neighbours; nil when there is no number between two.
  private static func moves(_ members: [Position], staying: [Int], end: Double) -> [Position]? {
    var result: [Position] = []
    var index = 0
    var lower: Double?
    for anchor in staying.map(Optional.some) + [nil] {
      let next = anchor ?? members.count
      let upper = anchor.map { members[$0].place } ?? lower.map { $0 < end ? end : $0 + 1 } ?? end
      let count = Double(next - index)
      let start = lower ?? upper - count - 1
      for (offset, member) in members[index..<next].enumerated() {
        let place = start + (upper - start) * (Double(offset + 1) / (count + 1))
        guard place > (result.last.map { max($0.place, start) } ?? start), place < upper else { return nil }
        result.append(Position(key: member.key, place: place))
      }
      lower = anchor.map { members[$0].place }
      index = next + 1
    }
    return result
  }

  private static func renumbered(_ members: [Position], end: Double) -> [Position] {
    let start = end - Double(members.count)
    return members.enumerated().map { Position(key: $1.key, place: start + Double($0)) }
  }

  /// The indices of a longest part of the list whose places rise; what is in it can stay where it is.
  private static func longestRise(_ members: [Position]) -> [Int] {
    var tails: [Int] = []
    var before = [Int](repeating: -1, count: members.count)
    for index in members.indices {
      let place = members[index].place
      var (low, high) = (0, tails.count)
      if let last = tails.last, members[last].place < place { low = high }
      while low < high {
        let middle = (low + high) / 2
        if members[tails[middle]].place < place { low = middle + 1 } else { high = middle }
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
