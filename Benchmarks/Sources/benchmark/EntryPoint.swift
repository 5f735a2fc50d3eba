import ArgumentParser
import Dispatch
import Foundation

/// The entry point of the program.
@main
enum EntryPoint {
  /// Runs the command. A round runs synchronously on the first thread, because an asynchronous `main` ends this thread,
  /// and Valgrind then crashes.
  static func main() {
    let arguments = Array(ProcessInfo.processInfo.arguments.dropFirst())
    if arguments.first == RunRound.name { return RunRound.main(Array(arguments.dropFirst())) }
    Task<Void, Never> {
      await Benchmark.main(arguments)
      Benchmark.exit()
    }
    dispatchMain()
  }
}
