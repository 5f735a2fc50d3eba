/// Maps owner keys to indices.
@usableFromInline
package struct OwnerIndices {
  @usableFromInline var first: Int64 = 0
  @usableFromInline var dense: ContiguousArray<Int32> = []
  @usableFromInline var sparse: [Int64: Int] = [:]

  package init(_ keys: [Int64]) {
    guard let least = keys.min(), let greatest = keys.max() else { return }
    let (span, isTooLarge) = greatest.subtractingReportingOverflow(least)
    guard !isTooLarge, span < Int64(keys.count) * 8 + 1_024 else {
      sparse = Dictionary(keys.enumerated().map { ($1, $0) }) { first, _ in first }
      return
    }
    first = least
    dense = ContiguousArray(repeating: -1, count: Int(span) + 1)
    for (ownerIndex, key) in keys.enumerated() { dense[Int(key - least)] = Int32(ownerIndex) }
  }

  @inlinable
  package subscript(key: Int64) -> Int {
    guard !dense.isEmpty else { return sparse[key] ?? -1 }
    let (offset, isTooLarge) = key.subtractingReportingOverflow(first)
    guard !isTooLarge, offset >= 0, offset < Int64(dense.count) else { return -1 }
    return Int(dense[Int(offset)])
  }
}
