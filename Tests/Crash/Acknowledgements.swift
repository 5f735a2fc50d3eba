import CrashWorkload
import Testing

/// The saves that the writers of one store have printed, and the contents that the store must therefore have.
struct Acknowledgements {
  /// The number of the last save that was acknowledged, or that was found in the store after its writer had been
  /// killed.
  private(set) var number = 0
  /// The digest of the contents that the store has after each planned save, by the number of the save.
  private var digests: [Int: UInt64] = [0: StoreState().digest]
  private var last = 0

  private(set) var acknowledged = 0
  private(set) var unacknowledged = 0

  /// Adds the plans and acknowledgements that one writer has printed.
  mutating func add(_ lines: [String]) throws {
    last = number
    for line in lines {
      let words = line.split(separator: " ")
      switch words.first {
      case "plan":
        last = try #require(Int(words[1]))
        let digest: UInt64 = try #require(UInt64(words[2]))
        digests[last] = digest
      case "saved":
        let saved = try #require(Int(words[1]))
        #expect(saved == number + 1, "saves come one after the other")
        number = saved
        acknowledged += 1
      default: break
      }
    }
  }

  /// Checks that the store contains every acknowledged save and at most one further save, and each of them completely.
  mutating func check(_ state: FoundState, _ situation: String) {
    #expect(state.number >= number, "an acknowledged save is lost: \(situation)")
    #expect(state.number <= last, "there are saves that were never begun: \(situation)")
    #expect(last <= number + 1)
    #expect(state.digest == digests[state.number], "save \(state.number) is not whole: \(situation)")
    if state.number > number { unacknowledged += 1 }
    number = state.number
  }
}
