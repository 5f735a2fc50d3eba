import Foundation
import Testing

/// The cost of `import SwiftData` for the type checker: the steps of its constraint solver for predicates and sorts of
/// models, compared with the same code for plain classes with Foundation alone.
///
/// The test counts steps because they are the same in each run and on each machine. One more overload of a function
/// that predicates call multiplies them: one of `build_KeyPath` caused nine times as many steps.
@Suite("The cost of type-checking", .serialized)
struct TypeCheckingCostTests {
  /// The maximum ratio to Foundation alone. The plain classes declare what Foundation lacks on Linux.
  private static let limit = 1.2

  private static let sources = ["Predicates", "Twins", "Combinations", "Orders", "ComparedOrders"]

  @Test("of predicates and sorts is the cost with Foundation alone", arguments: sources)
  func cost(_ name: String) throws {
    let compiler = try Compiler.current()
    let plain = try compiler.solverSteps(for: source(name), with: [source("PlainModels")])
    let stored = try compiler.solverSteps(for: source(name), with: [source("StoredModels")], flags: ["-D", "STORED"])
    #expect(plain.scopes > 0)
    #expect(Double(stored.scopes) <= Double(plain.scopes) * Self.limit, "\(stored) beside \(plain)")
  }

  @Test("is counted in steps that are the same in each run")
  func repetition() throws {
    let compiler = try Compiler.current()
    let steps = try (0..<2).map { _ in
      try compiler.solverSteps(for: source("Orders"), with: [source("PlainModels")])
    }
    #expect(steps[0] == steps[1])
  }

  private func source(_ name: String) throws -> URL {
    try #require(try Program.all(in: "TypeChecking").first { $0.name == name }).file
  }
}
