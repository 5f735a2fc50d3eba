import ArgumentParser
import SwiftData

/// Reads the tz database of the system into the store.
struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Read the system's time zone database into the store.")

  @OptionGroup var options: StoreOptions
  @Flag(help: "Replace what the store holds.")
  var replace = false

  func run() throws {
    let container = try options.open()
    let context = ModelContext(container)
    if try context.fetchCount(FetchDescriptor<Country>()) > 0 {
      guard replace else { throw AtlasError.alreadyImported(store: options.path) }
      try container.erase()
    }
    try WorldImport(database: .system).run(in: ModelContext(container))
    try ImportReport(path: options.path).print(from: context)
  }
}
