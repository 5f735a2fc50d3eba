import Foundation
import Testing

/// What `import SwiftData` costs the type checker. The tests count the steps of the compiler's constraint solver for
/// predicates and sort descriptors of models, and for the same code with plain classes and Foundation alone.
///
/// Steps are counted because they are the same in each run and on each machine. If a function that predicates call has
/// one overload more, the number of steps multiplies: one more `build_KeyPath` caused nine times as many steps.
@Suite("The cost of type-checking", .serialized)
struct TypeCheckingCostTests {
  /// The number of steps with models must be at most this multiple of the number of steps with plain classes. The plain
  /// classes declare what Foundation lacks on Linux.
  private static let limit = 1.2

  private static let sources = ["Predicates", "Twins", "Combinations", "Orders", "ComparedOrders"]

  @Test(
    "predicates and sort descriptors of models need at most 1.2 times the solver steps of plain classes",
    arguments: sources)
  func cost(_ name: String) throws {
    let compiler = try Compiler.current()
    let plain = try compiler.solverSteps(for: source(name), with: [source("PlainModels")])
    let stored = try compiler.solverSteps(for: source(name), with: [source("StoredModels")], flags: ["-D", "STORED"])
    #expect(plain.scopes > 0)
    #expect(Double(stored.scopes) <= Double(plain.scopes) * Self.limit, "\(stored) beside \(plain)")
  }

  @Test("the number of solver steps is the same in each run")
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
