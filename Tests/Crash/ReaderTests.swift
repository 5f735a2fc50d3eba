import ConformanceSupport
import CrashWorkload
import Foundation
import Testing

@Suite("Readers while writers are killed", .serialized)
struct ReaderTests {
  private static let labelCount = 6

  @Test(
    "each read of a continuous reader sees complete saves only, all acknowledged ones, and no fewer than the last read"
  )
  func reader() throws {
    let store = try StoreFolder()
    let seed = RandomTesting.seed
    print("crash: seed \(seed) (OSD_SEED), a reader beside writers")
    var random = SeededGenerator(seed: seed)
    var acknowledgements = Acknowledgements()
    // The first writer makes a save before the reader starts, because the reader expects labels.
    try runWriter(of: store, until: .saved(1), after: 0, seed: random.next(), &acknowledgements)
    acknowledgements.check(try store.checkedState(), "before there is a reader")
    let reader = try ChildProcess("read", store.path)
    for _ in 0..<15 {
      let saves = Int.random(in: 1...12, using: &random)
      let delay = UInt32.random(in: 0...3_000, using: &random)
      try runWriter(of: store, until: .saved(saves), after: delay, seed: random.next(), &acknowledgements)
      let seen = try stampsOfNextRead(by: reader)
      #expect(seen.allSatisfy { $0 >= acknowledgements.number }, "an acknowledged save is not seen")
      acknowledgements.check(try store.checkedState(), "beside a reader")
    }
    try reader.kill()
    checkReads(of: reader, upTo: acknowledgements.number)
  }

  private func runWriter(
    of store: StoreFolder, until event: KillMoment.Event, after delay: UInt32, seed: UInt64,
    _ acknowledgements: inout Acknowledgements
  ) throws {
    // The writer pauses for 500 µs after each save, so that reads occur between saves as well as during saves.
    let writer = try ChildProcess("write", store.path, "\(seed)", "500")
    try KillMoment(event: event, delay: delay).await(writer)
    try writer.kill()
    try acknowledgements.add(writer.lines)
  }

  /// The stamps of all labels, from a read that begins after this call.
  private func stampsOfNextRead(by reader: ChildProcess) throws -> [Int] {
    reader.listen()
    let begun = reader.lines.count { $0 == "reading" }
    try reader.waitForLines(begun + 1, beginningWith: "read ")
    return stamps(reader.lines.filter { $0.hasPrefix("read ") }[begun])
  }

  private func stamps(_ line: String) -> [Int] {
    line.split(separator: " ").dropFirst().compactMap { Int($0) }
  }

  private func checkReads(of reader: ChildProcess, upTo last: Int) {
    let reads = reader.lines.filter { $0.hasPrefix("read ") }.map(stamps)
    let numbers = reads.compactMap(\.first)
    #expect(reads.allSatisfy { $0.count == Self.labelCount && Set($0).count == 1 }, "half a save was seen")
    #expect(numbers == numbers.sorted(), "a save that was seen has gone")
    #expect(numbers.last.map { $0 <= last } == true)
    #expect(Set(numbers).count > 15, "the reader saw the store change")
    print("crash: \(reads.count) reads beside \(last) saves saw \(Set(numbers).count) different ones")
  }
}
