import ArgumentParser

/// Keeps the system's time zone database in a store, and answers questions about it.
@main
struct Atlas: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "atlas",
    abstract: "The countries and time zones of your system, kept in a SwiftData store.",
    discussion: """
      The first run reads the tz database of the system (TZDIR, or /usr/share/zoneinfo) into a store. \
      Every later run opens the store again and answers from it.
      """,
    subcommands: [Visit.self, Import.self, Query.self, Search.self],
    defaultSubcommand: Visit.self
  )
}
