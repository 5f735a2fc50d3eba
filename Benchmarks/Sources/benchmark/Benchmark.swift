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
    var commands: [any ParsableCommand.Type] = [Compare.self, RunRound.self]
    #if PostgreSQL
      commands.append(Postgres.self)
    #endif
    #if MEASURES_LIBRARY
      commands +=
        [
          Gauge.self, Readers.self, Migrations.self, RunMigration.self, Situations.self,
          RunSituation.self, Weights.self, Scale.self, RunScaleOperation.self,
        ]
        as [any ParsableCommand.Type]
    #endif
    return commands
  }
}
