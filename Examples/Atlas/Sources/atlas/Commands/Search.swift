import ArgumentParser
import SwiftData

/// Finds countries and zones by a part of their names.
struct Search: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Find countries and time zones by a part of their names, or a country by its code.")

  @OptionGroup var options: StoreOptions
  @Argument(help: "What to look for; case and accents do not matter.")
  var text: String

  func validate() throws {
    guard !text.isEmpty else { throw ValidationError("Say what to look for.") }
  }

  func run() throws {
    let context = ModelContext(try options.openToRead())
    guard try context.fetchCount(FetchDescriptor<Country>()) > 0 else {
      throw AtlasError.nothingImported(store: options.path)
    }
    try SearchReport(text: text).print(from: context)
  }
}
