import ConformanceSupport
import CrashWorkload
import Foundation
import Testing

@Suite("Killed backups and restorations", .serialized)
struct BackupKillTests {
  private static var kills: Int {
    ProcessInfo.processInfo.environment["OSD_CRASH_BACKUP_KILLS"].flatMap { Int($0) } ?? 40
  }

  /// Starts a writer, waits until it has made the given number of saves, and kills it.
  private func write(_ store: StoreFolder, saves: Int, seed: UInt64) throws {
    let child = try ChildProcess("write", store.path, "\(seed)")
    try child.waitForLines(saves, beginningWith: "saved")
    try child.kill()
  }

  /// Starts a process, and kills it at a random time after a line of its output, unless it has ended by then.
  ///
  /// - Returns: True if the process was killed before its work was finished.
  private func kill(_ arguments: [String], after word: String, _ random: inout SeededGenerator) throws -> Bool {
    let child = try ChildProcess(arguments[0], arguments[1], arguments[2])
    try child.waitForLines(beginningWith: word)
    // The process prints nothing during its work, so the test waits for a random time.
    letTimePass(.microseconds(exp2(Double.random(in: 6...16, using: &random))))
    child.end()
    #expect(!child.lines.contains { $0.hasPrefix("failed") }, "\(child.lines)")
    return !child.lines.contains { ["copied", "restored"].contains($0) }
  }

  @Test("a killed backup leaves a complete copy or none, and the next backup to the same location is complete")
  func backups() throws {
    let seed = RandomTesting.seed
    var random = SeededGenerator(seed: seed)
    let store = try StoreFolder()
    try write(store, saves: 40, seed: random.next())
    let state = try store.checkedState()
    var (killed, there) = (0, 0)
    for number in 0..<Self.kills {
      let copies = try StoreFolder()
      let wasKilled = try kill(["back-up", store.path, copies.path], after: "copying", &random)
      killed += wasKilled ? 1 : 0
      if FileManager.default.fileExists(atPath: copies.path) {
        there += 1
        #expect(try copies.checkedState().digest == state.digest, "seed \(seed), kill \(number)")
      } else {
        let again = try ChildProcess("back-up", store.path, copies.path)
        #expect(try again.exitCode() == 0, "seed \(seed), kill \(number): \(again.lines)")
        #expect(try copies.checkedState().digest == state.digest, "seed \(seed), kill \(number)")
        let names = try FileManager.default.contentsOfDirectory(atPath: copies.folder.path)
        #expect(!names.contains { $0.hasSuffix(".unfinished") }, "\(names)")
      }
    }
    print("crash: \(killed) of \(Self.kills) backups were killed, \(there) copies were there; seed \(seed)")
    #expect(killed > 0 && there < Self.kills)
  }

  @Test("a killed restoration leaves the old store or the restored one, and the next restoration succeeds")
  func restorations() throws {
    let seed = RandomTesting.seed
    var random = SeededGenerator(seed: seed)
    let (store, copy) = (try StoreFolder(), try StoreFolder())
    try write(store, saves: 20, seed: random.next())
    #expect(try ChildProcess("back-up", store.path, copy.path).exitCode() == 0)
    let wanted = try copy.checkedState().digest
    var killed = 0
    for number in 0..<Self.kills {
      // Adds rows and files that the backup does not have.
      try write(store, saves: 10, seed: random.next())
      let old = try store.checkedState().digest
      if try kill(["restore", store.path, copy.path], after: "restoring", &random) { killed += 1 }
      let found = try store.checkedState().digest
      #expect(found == old || found == wanted, "seed \(seed), kill \(number)")
      let again = try ChildProcess("restore", store.path, copy.path)
      #expect(try again.exitCode() == 0, "seed \(seed), kill \(number): \(again.lines)")
      #expect(try store.checkedState().digest == wanted, "seed \(seed), kill \(number)")
    }
    print("crash: \(killed) of \(Self.kills) restorations were killed; seed \(seed)")
    #expect(killed > 0)
  }
}
