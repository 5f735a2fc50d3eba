import ArgumentParser
import SwiftData

/// Prints the contents of the store.
struct Query: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Print tables from the store.")

  @OptionGroup var options: StoreOptions
  @Option(help: "The most countries to list.")
  var limit = 8

  func validate() throws {
    guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
  }

  func run() throws {
    let context = ModelContext(try options.openToRead())
    guard try context.fetchCount(FetchDescriptor<Country>()) > 0 else {
      throw AtlasError.nothingImported(store: options.path)
    }
    try SummaryReport(path: options.path).print(from: context)
    try CountryReport(limit: limit).print(from: context)
    try SouthernReport().print(from: context)
  }
}
