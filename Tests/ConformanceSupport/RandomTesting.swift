import SwiftData

/// What the environment says about the length and the start of random tests.
package enum RandomTesting {
  package static var soak: Int { max(1, number("OSD_SOAK").map { Int($0) } ?? 1) }
  package static var seed: UInt64 { number("OSD_SEED") ?? UInt64.random(in: .min ... .max) }

  private static func number(_ name: String) -> UInt64? {
    ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
  }
}
