import PersistenceCore
import SwiftData

/// Reserves keys for a remote engine: in blocks, outside of transactions and with gaps. The engines of several
/// simulated processes may share it.
package final class RemoteKeys: Sendable {
  package enum Order: Sendable, CaseIterable {
    /// The keys of each block are smaller than those of the previous block.
    case falling
    /// Two sequences supply the keys of alternate calls.
    case interleaved
  }

  private let order: Order
  private let tables = Lock<[String: Table]>([:])

  package init(_ order: Order) {
    self.order = order
  }

  /// Returns unused keys of a table. `isRoundTrip` is true if the engine had to ask the server for a new block.
  func take(_ count: Int, of entity: EntityLayout) -> (ranges: [ClosedRange<Int64>], isRoundTrip: Bool) {
    let name = entity.inheritance?.superentityNames.last ?? entity.name
    return tables.withLock { [order] in $0[name, default: Table(order)].take(Int64(count)) }
  }

  private struct Table {
    private var sequences: [Blocks]
    private var next = 0

    init(_ order: Order) {
      sequences =
        switch order {
        case .falling: [Blocks(from: 1 << 40, direction: -1)]
        case .interleaved: [Blocks(from: 1 << 40, direction: 1), Blocks(from: 1_000, direction: 1)]
        }
    }

    mutating func take(_ count: Int64) -> (ranges: [ClosedRange<Int64>], isRoundTrip: Bool) {
      defer { next = (next + 1) % sequences.count }
      return sequences[next].take(count)
    }
  }

  /// A sequence of blocks. The first has 2 keys, and each further one twice as many, up to 64.
  private struct Blocks {
    private var size: Int64 = 2
    private var start: Int64
    private let direction: Int64
    private var rest: ClosedRange<Int64>?

    init(from start: Int64, direction: Int64) {
      self.start = start
      self.direction = direction
    }

    mutating func take(_ count: Int64) -> (ranges: [ClosedRange<Int64>], isRoundTrip: Bool) {
      var (ranges, missing, isRoundTrip) = ([ClosedRange<Int64>](), count, false)
      while missing > 0 {
        if rest == nil { isRoundTrip = true }
        let open = rest ?? fetchBlock()
        let last = min(open.upperBound, open.lowerBound + missing - 1)
        ranges.append(open.lowerBound...last)
        rest = last < open.upperBound ? last + 1...open.upperBound : nil
        missing -= last - open.lowerBound + 1
      }
      return (ranges, isRoundTrip)
    }

    /// Reserves the next block, after a gap of five keys.
    private mutating func fetchBlock() -> ClosedRange<Int64> {
      let block = start...start + size - 1
      size = min(size * 2, 64)
      start = direction > 0 ? block.upperBound + 6 : start - size - 5
      return block
    }
  }
}
