import SwiftData

/// A change that is rolled back.
struct Renaming {
  func tryOut(in context: ModelContext) throws {
    let code = "NZ"
    let found = try context.fetch(FetchDescriptor<Country>(predicate: #Predicate { $0.code == code }))
    guard let country = found.first else { return }
    country.name = "Aotearoa"
    let during = "\(country.name) (changes to save: \(context.hasChanges ? "yes" : "no"))"
    context.rollback()
    let after = "\(country.name) (changes to save: \(context.hasChanges ? "yes" : "no"))"
    print("\n" + TerminalStyle.heading("Rolled back: a new name"))
    print("For a moment \(code) was \(during); after rollback() it is \(after).")
  }
}
