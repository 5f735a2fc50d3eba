import ArgumentParser

/// The command `benchmark`, which ``EntryPoint`` runs.
struct Benchmark: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmark",
    abstract: "Compares OpenSwiftData with hand-written SQLite code and with its peers.",
    subcommands: subcommands,
    defaultSubcommand: Compare.self
  )

  private static var subcommands: [any ParsableCommand.Type] {
    #if MEASURES_LIBRARY
      [Compare.self, RunRound.self, Gauge.self, Readers.self, Migrations.self, RunMigration.self]
    #else
      [Compare.self, RunRound.self]
    #endif
  }
}
