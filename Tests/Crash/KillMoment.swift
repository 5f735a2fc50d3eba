import ConformanceSupport
import CrashWorkload
import Foundation

/// The moment at which a writer is killed: some microseconds after its start, or after a line of its output.
struct KillMoment: CustomStringConvertible {
  enum Event: Equatable {
    case start
    case opening
    /// The writer has printed this many plans of saves, or this many acknowledgements of saves.
    case plan(Int)
    case saved(Int)
  }

  let event: Event
  let delay: UInt32

  init(event: Event, delay: UInt32) {
    self.event = event
    self.delay = delay
  }

  /// A random moment. `isMade` is true if the store already exists, and false if the writer has to create it.
  init(isMade: Bool, using random: inout SeededGenerator) {
    let kind = Int.random(in: 0..<20, using: &random)
    let save = Int.random(in: 1...8, using: &random)
    event =
      switch kind {
      case 0: .start
      case ..<(isMade ? 4 : 14): .opening
      case ..<14: .plan(save)
      default: .saved(save)
      }
    // From 16 µs to 40 ms, evenly distributed on a logarithmic scale, because the work after the event may take
    // microseconds or milliseconds.
    delay = UInt32(exp2(Double.random(in: 4...15.3, using: &random)))
  }

  var description: String { "killed \(delay) µs after \(event)" }

  /// Waits for the event and the delay.
  func await(_ child: ChildProcess) throws {
    switch event {
    case .start: break
    case .opening: try child.waitForLines(beginningWith: "opening")
    case .plan(let count): try child.waitForLines(count, beginningWith: "plan")
    case .saved(let count): try child.waitForLines(count, beginningWith: "saved")
    }
    // The process prints nothing during its work, so the test waits for the delay.
    letTimePass(.microseconds(delay))
  }
}
