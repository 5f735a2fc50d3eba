import Foundation
import Testing

/// What the type checker pays for `import SwiftData`: the steps of its constraint solver for predicates and orders of
/// models, beside those for the same ones of plain classes with Foundation alone.
///
/// Steps, since they repeat exactly, on every machine. One more overload of a function that predicates call multiplies
/// them: with one of `build_KeyPath` these predicates took nine times as many.
@Suite("The cost of type-checking", .serialized)
struct TypeCheckingCostTests {
  /// How much more it may be than with Foundation alone, and what that lacks on Linux.
  private static let limit = 1.2

  private static let sources = ["Predicates", "Twins", "Combinations", "Orders", "ComparedOrders"]

  @Test("of predicates and of orders is that of Foundation alone", arguments: sources)
  func cost(_ name: String) throws {
    let compiler = try Compiler.current()
    let plain = try compiler.solverSteps(for: source(name), with: [source("PlainModels")])
    let stored = try compiler.solverSteps(for: source(name), with: [source("StoredModels")], flags: ["-D", "STORED"])
    #expect(plain.scopes > 0)
    #expect(Double(stored.scopes) <= Double(plain.scopes) * Self.limit, "\(stored) beside \(plain)")
  }

  @Test("is counted in steps that repeat")
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
