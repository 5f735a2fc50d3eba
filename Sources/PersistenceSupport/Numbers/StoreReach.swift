/// The commits of a store that a context knows.
package struct StoreReach: Sendable, Equatable {
  package var commits: CommitNumbers
  /// The foreign change count that the context knows.
  package var foreignChanges: Int64
  /// The foreign change count after which the changes are known; negative if those before are known too.
  package var foreignStart: Int64

  package init(commits: CommitNumbers = CommitNumbers(), foreignChanges: Int64 = -1, foreignStart: Int64 = -1) {
    self.commits = commits
    self.foreignChanges = foreignChanges
    self.foreignStart = foreignStart
  }

  /// Whether all foreign changes up to a count are known.
  package func isForeignComplete(through count: Int64) -> Bool { foreignStart < 0 && foreignChanges >= count }

  package mutating func formUnion(_ other: StoreReach) {
    commits.formUnion(other.commits)
    guard other.foreignChanges > other.foreignStart else { return }
    let isEmpty = foreignChanges <= foreignStart
    let isAdjacent = max(foreignStart, other.foreignStart) <= min(foreignChanges, other.foreignChanges)
    if !isEmpty, isAdjacent {
      foreignStart = min(foreignStart, other.foreignStart)
      foreignChanges = max(foreignChanges, other.foreignChanges)
    } else if isEmpty || other.foreignStart < foreignStart {
      // Of two ranges with a gap between them, only the first may continue what is known.
      (foreignStart, foreignChanges) = (other.foreignStart, other.foreignChanges)
    }
  }
}
