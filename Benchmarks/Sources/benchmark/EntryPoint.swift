import ArgumentParser
import Dispatch
import Foundation

/// Where the program starts.
@main
enum EntryPoint {
  /// A round runs on the first thread: an asynchronous `main` gives that thread up, and Valgrind does not survive it.
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
