import ArgumentParser
import SwiftData

/// Imports on the first run, and shows the atlas on every later one.
struct Visit: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Import on the first run; later, print tables and send a postcard (the default).")

  @OptionGroup var options: StoreOptions

  func run() throws {
    let container = try options.open()
    let context = ModelContext(container)
    guard try context.fetchCount(FetchDescriptor<Country>()) > 0 else { return try firstRun(in: context) }
    try SummaryReport(path: options.path).print(from: context)
    try CountryReport(limit: 8).print(from: context)
    try SouthernReport().print(from: context)
    try SearchReport(text: "panama").print(from: context)
    try Postcard().send(from: context)
    try Renaming().tryOut(in: context)
    StoreHint(path: options.path).print()
  }

  private func firstRun(in context: ModelContext) throws {
    try WorldImport(database: .system).run(in: context)
    try ImportReport(path: options.path).print(from: context)
  }
}
