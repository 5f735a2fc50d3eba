import SwiftData
import Synchronization

/// A process that measures one operation: `GrowthProcess <operation> file|memory <factor> <runs>`, or `GrowthProcess list`.
///
/// It says how long the operation takes, and eight times as much of it, and what memory further rounds keep. With
/// `GrowthProcess <operation> file|memory <factor> rounds <count>` it says how much each of so many rounds keeps: whether
/// what they keep comes to an end is seen there.
@main
struct GrowthProcess {
  static func main() throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments != ["list"] else {
      for operation in Operation.all { print(operation.needsFile ? "file" : "any", operation.name) }
      return
    }
    guard arguments.count == 4 || arguments.count == 5 && arguments[3] == "rounds",
      let operation = Operation.all.first(where: { $0.name == arguments[0] }),
      ["file", "memory"].contains(arguments[1]),
      let factor = Int(arguments[2]), let count = Int(arguments[arguments.count - 1])
    else { fatalError("see the usage above") }
    let isInMemory = arguments[1] == "memory"
    let (small, large) = (operation.count * factor, operation.count * factor * 8)
    guard arguments.count == 4 else {
      try printRounds(of: operation, small * 2, isInMemory: isInMemory, count: count)
      return
    }
    // Runs before the measurement, so that work that is done once is not measured.
    _ = try Measurement.seconds(operation, operation.count, isInMemory: isInMemory)
    let seconds = try Measurement.seconds(operation, (small, large), isInMemory: isInMemory, runs: count)
    print("seconds", seconds.small, seconds.large)
    for keepsContext in [false, true] {
      // More runs are asked for where the first ones showed something.
      let bytes = try Measurement.growth(
        operation, small * 2, isInMemory: isInMemory, keepsContext: keepsContext, rounds: count > 2 ? 24 : 6)
      print(keepsContext ? "context" : "container", bytes, Life.count.load(ordering: .relaxed))
    }
  }

  private static func printRounds(of operation: Operation, _ size: Int, isInMemory: Bool, count: Int) throws {
    for keepsContext in [false, true] {
      let bytes = try Measurement.allocatedBytes(
        operation, size, isInMemory: isInMemory, keepsContext: keepsContext, rounds: count)
      print(keepsContext ? "context" : "container", zip(bytes.dropFirst(), bytes).map { $0 - $1 })
    }
  }
}
