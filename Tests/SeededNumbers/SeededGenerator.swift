import Foundation

/// A random number generator. The same seed produces the same numbers.
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  /// Computes the next number by the algorithm SplitMix64.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

extension SeededGenerator {
  /// The seed in the environment variable `OSD_SEED`, which repeats a run; a random seed if the variable is not set.
  package static var chosenSeed: UInt64 {
    ProcessInfo.processInfo.environment["OSD_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: .min ... .max)
  }
}
