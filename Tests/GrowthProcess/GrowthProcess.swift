import SwiftData
import Synchronization

/// A process that measures one operation: `GrowthProcess <operation> file|memory <factor> <runs>`, or `GrowthProcess
/// list`, which prints the names of all operations.
///
/// It prints the CPU time of the operation, the CPU time of eight times as much work, and the bytes that each further
/// round of the operation leaves allocated. `GrowthProcess <operation> file|memory <factor> rounds <count>` prints the
/// bytes that each of `<count>` rounds leaves allocated, which shows whether the growth of memory stops after some
/// rounds.
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
    // One run before the measurement does the work that the process does only once, such as filling caches.
    _ = try Measurement.seconds(operation, operation.count, isInMemory: isInMemory)
    let seconds = try Measurement.seconds(operation, (small, large), isInMemory: isInMemory, runs: count)
    print("seconds", seconds.small, seconds.large)
    for keepsContext in [false, true] {
      // The test asks for more than two runs if the first attempt exceeded a limit; then more rounds are measured too.
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
