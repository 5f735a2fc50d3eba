#if PostgreSQL
  /// Checks by the logs of several programs that no write was lost.
  ///
  /// Each write sets a cell (a row, or a property of a row) to a unique version, and logs the version that it replaced.
  /// If no write is lost, the versions of a cell form one chain from 0 to the version in the store: each version
  /// replaces exactly one other version, and no two versions replace the same one. A rejected write must not be in a
  /// chain.
  struct VersionChains {
    struct Write: Sendable {
      var cell: String
      var version: Int
      var replaced: Int
      /// The time in nanoseconds, from a clock that all programs share.
      var begin: UInt64
      var end: UInt64
    }

    private(set) var writes: [String: [Write]] = [:]
    private(set) var refused: Set<Int> = []
    /// Log lines that have an unknown format.
    private(set) var others: [String] = []

    var count: Int { writes.values.reduce(0) { $0 + $1.count } }

    mutating func add(_ write: Write) { writes[write.cell, default: []].append(write) }

    /// Adds one line of a program's log.
    mutating func add(line: String) {
      let words = line.split(separator: " ")
      if words.count == 6, words[0] == "saved", let version = Int(words[2]), let replaced = Int(words[3]),
        let begin = UInt64(words[4]), let end = UInt64(words[5])
      {
        add(Write(cell: String(words[1]), version: version, replaced: replaced, begin: begin, end: end))
      } else if words.count == 2, words[0] == "refused", let version = Int(words[1]) {
        refused.insert(version)
      } else {
        others.append(line)
      }
    }

    /// The inconsistencies of the logs, as texts; empty if no write was lost.
    ///
    /// - Parameter stored: The version that each cell has at the end; 0 for a cell that was never written.
    func problems(stored: [String: Int]) -> [String] {
      let unknown = Set(writes.keys).subtracting(stored.keys).sorted().map { "\($0) is not in the store" }
      return unknown + stored.keys.sorted().flatMap { problems(of: $0, stored: stored[$0] ?? 0) }
    }

    private func problems(of cell: String, stored: Int) -> [String] {
      let all = writes[cell] ?? []
      var problems: [String] = []
      var next: [Int: Write] = [:]
      for write in all {
        if let other = next.updateValue(write, forKey: write.replaced) {
          problems.append("\(cell): \(other.version) and \(write.version) both replaced \(write.replaced)")
        }
        if refused.contains(write.version) { problems.append("\(cell): \(write.version) was refused and saved") }
      }
      var chain: [Write] = []
      while let write = next.removeValue(forKey: chain.last?.version ?? 0) { chain.append(write) }
      for write in next.values.sorted(by: { $0.begin < $1.begin }) {
        problems.append("\(cell): \(write.version) replaced \(write.replaced), which no context is known to have saved")
      }
      let last = chain.last?.version ?? 0
      if stored != last {
        let state = refused.contains(stored) ? ", which was refused" : ""
        problems.append("\(cell): the last one is \(last), and the store has \(stored)\(state)")
      }
      return problems + lateOnes(chain)
    }

    /// The writes that began after a later write of the same chain had been acknowledged. Such a write replaced a
    /// version that was no longer the newest.
    private func lateOnes(_ chain: [Write]) -> [String] {
      var (problems, earliest) = ([String](), UInt64.max)
      for write in chain.reversed() {
        if earliest < write.begin {
          problems.append("\(write.cell): \(write.version) began when a later one had been acknowledged")
        }
        earliest = min(earliest, write.end)
      }
      return problems
    }
  }
#endif
