import Foundation

/// Some of the machine's processors, for a program that is not to share them with another one.
public struct ProcessorSet: Sendable {
  private let first: Int
  private let last: Int

  /// The two halves of the machine's processors; nil if there is only one processor.
  public static var halves: (ProcessorSet, ProcessorSet)? {
    let count = ProcessInfo.processInfo.activeProcessorCount
    guard count > 1 else { return nil }
    return (ProcessorSet(first: 0, last: count / 2 - 1), ProcessorSet(first: count / 2, last: count - 1))
  }

  /// The beginning of a command that runs on these processors.
  public var command: [String] { ["/usr/bin/taskset", "--cpu-list", "\(first)-\(last)"] }
}
