import Foundation

/// A range of the machine's processors. A program that is restricted to it does not share processors with a program
/// that is restricted to another range.
public struct ProcessorSet: Sendable {
  private let first: Int
  private let last: Int

  /// The two halves of the machine's processors; nil if there is only one processor.
  public static var halves: (ProcessorSet, ProcessorSet)? {
    let count = ProcessInfo.processInfo.activeProcessorCount
    guard count > 1 else { return nil }
    return (ProcessorSet(first: 0, last: count / 2 - 1), ProcessorSet(first: count / 2, last: count - 1))
  }

  /// The beginning of a command line; the rest of the command then runs on these processors only.
  public var command: [String] { ["/usr/bin/taskset", "--cpu-list", "\(first)-\(last)"] }
}
