import SwiftData

/// Random numbers that can be had again from their seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// What the environment says about the length and the start of random tests.
enum RandomTesting {
  static var soak: Int { max(1, number("OSD_SOAK").map { Int($0) } ?? 1) }
  static var seed: UInt64 { number("OSD_SEED") ?? UInt64.random(in: .min ... .max) }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
