import ArgumentParser
import Dispatch
import Foundation

/// The entry point of the program.
@main
enum EntryPoint {
  /// A round runs on the first thread: an asynchronous `main` ends that thread, and Valgrind then crashes.
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
