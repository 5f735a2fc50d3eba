import ArgumentParser

/// The command `benchmark`.
@main
struct Benchmark: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmark",
    abstract: "Compares OpenSwiftData with hand-written SQLite code and with its peers.",
    subcommands: [Compare.self, RunRound.self],
    defaultSubcommand: Compare.self
  )
}
