import ArgumentParser
import Dispatch
import Foundation

/// The entry point of the program.
@main
enum EntryPoint {
  /// Runs the command. Rounds and situations run synchronously on the first thread, because an asynchronous `main` ends
  /// this thread, and Valgrind then crashes.
  static func main() {
    let arguments = Array(ProcessInfo.processInfo.arguments.dropFirst())
    let rest = Array(arguments.dropFirst())
    if arguments.first == RunRound.name { return RunRound.main(rest) }
    #if MEASURES_LIBRARY
      if arguments.first == RunSituation.name { return RunSituation.main(rest) }
    #endif
    Task<Void, Never> {
      await Benchmark.main(arguments)
      Benchmark.exit()
    }
    dispatchMain()
  }
}
