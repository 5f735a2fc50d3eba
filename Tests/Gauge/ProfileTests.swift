import BenchmarkGauge
import Testing

@Suite("Dumps of callgrind")
struct ProfileTests {
  private static let dump = """
    # callgrind format
    version: 1
    cmd:  ./benchmark run-round --rows 2000
    part: 2

    desc: Trigger: --dump-after=measure
    positions: line
    events: Ir
    summary: 1234

    ob=/usr/lib/x86_64-linux-gnu/libsqlite3.so.0.8.6
    fl=???
    fn=sqlite3_step
    0 200
    cfn=0x0000000000033a30
    calls=2 0
    0 30

    fn=0x0000000000033a30
    0 30

    ob=/opt/swift/usr/lib/swift/linux/libswiftCore.so
    fn=swift_release
    0 100
    cob=/tmp/benchmark
    cfi=???
    cfn=$s4saveyyF
    calls=1 0
    0 900

    fn=swift_release'2
    0 4

    fn=swift_idle

    ob=/tmp/benchmark
    fn=$s4saveyyF
    0 900
    cob=/opt/swift/usr/lib/swift/linux/libswiftCore.so
    cfn=swift_release'2
    calls=7 0
    0 4

    totals: 1234

    """

  @Test("each function has its own instruction count")
  func counts() throws {
    let profile = try Profile(callgrind: Self.dump)
    #expect(profile.counts == ["[libsqlite3.so.0.8.6]": 230, "swift_release": 104, "$s4saveyyF": 900])
    #expect(profile.total == 1234)
  }

  @Test("a truncated dump, or one whose functions do not add up to its totals, throws")
  func brokenDumps() {
    let wrong = Self.dump.replacing("totals: 1234", with: "totals: 1235")
    let cut = Self.dump.replacing("totals: 1234", with: "")
    let unknown = Self.dump.replacing("0 900", with: "0 900 17")
    for dump in [wrong, cut, unknown] {
      #expect(throws: GaugeError.self) { try Profile(callgrind: dump) }
    }
  }

  @Test("counts of functions with the same name are added")
  func renaming() {
    let profile = Profile(["specialized a": 1, "a": 2, "b": 4])
    #expect(profile.renamed { $0.hasSuffix("a") ? "a" : $0 }.counts == ["a": 3, "b": 4])
  }
}
