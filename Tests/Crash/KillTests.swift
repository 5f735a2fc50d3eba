import ConformanceSupport
import CrashWorkload
import Foundation
import Testing

@Suite("Killed writers", .serialized)
struct KillTests {
  private struct Summary {
    var kills = 0
    var stores = 0
    var beforeOpening = 0
    var duringCreation = 0
    var duringOpening = 0
    var acknowledged = 0
    var unacknowledged = 0
  }

  private static let killsPerStore = 8

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }

  @Test(
    "the store has every acknowledged save and at most one more, all complete, and passes its integrity check")
  func kills() throws {
    let wanted = Self.number("OSD_CRASH_KILLS").map { Int($0) } ?? 200
    let seed = RandomTesting.seed
    print("crash: seed \(seed) (OSD_SEED), \(wanted) kills (OSD_CRASH_KILLS)")
    var random = SeededGenerator(seed: seed)
    var summary = Summary()
    while summary.kills < wanted {
      try killWriters(of: min(Self.killsPerStore, wanted - summary.kills), &summary, using: &random)
    }
    RandomTesting.note("kills", summary.kills)
    print(
      "crash: \(summary.kills) kills with \(summary.stores) stores, \(summary.beforeOpening) before opening, "
        + "\(summary.duringCreation) during creation, \(summary.duringOpening) during later opening; "
        + "\(summary.acknowledged) saves acknowledged, \(summary.unacknowledged) unacknowledged but present")
    // A long run must kill some writers while they create stores, and let enough saves succeed.
    if wanted >= 100 { #expect(summary.duringCreation > 0 && summary.acknowledged > wanted) }
  }

  /// Kills several writers of one store, one after the other, and checks the store after each kill.
  private func killWriters(of kills: Int, _ summary: inout Summary, using random: inout SeededGenerator) throws {
    let store = try StoreFolder()
    var acknowledgements = Acknowledgements()
    var isMade = false
    var history: [String] = []
    for _ in 0..<kills {
      let moment = KillMoment(isMade: isMade, using: &random)
      let child = try ChildProcess("write", store.path, "\(random.next())")
      try moment.await(child)
      try child.kill()
      try acknowledgements.add(child.lines)
      count(child, isMade: isMade, in: &summary)
      isMade = isMade || child.lines.contains("opened")
      let isCopy = Bool.random(using: &random)
      let state = try isCopy ? store.checkedStateOfCopy() : store.checkedState()
      let last = child.lines.last ?? "nothing"
      history.append("\(moment), having said \(last), \(isCopy ? "the copy" : "the store") had \(state.number)")
      acknowledgements.check(state, history.joined(separator: "; "))
    }
    summary.stores += 1
    summary.acknowledged += acknowledgements.acknowledged
    summary.unacknowledged += acknowledgements.unacknowledged
  }

  private func count(_ child: ChildProcess, isMade: Bool, in summary: inout Summary) {
    summary.kills += 1
    if !child.lines.contains("opening") {
      summary.beforeOpening += 1
    } else if !child.lines.contains("opened") {
      if isMade { summary.duringOpening += 1 } else { summary.duringCreation += 1 }
    }
  }
}
