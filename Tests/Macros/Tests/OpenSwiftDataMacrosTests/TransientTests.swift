import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("@Transient")
struct TransientTests {
  private func refused(column: Int, fix: Bool) -> DiagnosticSpec {
    DiagnosticSpec(
      message: "a @Transient property is not stored, so it must have a default value or be an optional variable",
      line: 2, column: column, fixIts: fix ? [FixItSpec(message: "make it optional")] : [])
  }

  @Test(
    "A transient variable without a value is an error; the fix-it makes it optional",
    arguments: [
      ("Int", "Int?"), ("[String]", "[String]?"), ("Set<Int>", "Set<Int>?"), ("any Cache", "(any Cache)?"),
      ("() -> Void", "(() -> Void)?"), ("Cache & Sendable", "(Cache & Sendable)?"), ("Cache.Entry", "Cache.Entry?"),
    ])
  func variable(type: String, optional: String) {
    expectDiagnostics(
      [refused(column: 18, fix: true)],
      of: """
        final class Trip {
          @Transient var cache: \(type) // not stored
        }
        """,
      fixed: """
        final class Trip {
          @Transient var cache: \(optional) // not stored
        }
        """)
  }

  @Test("A transient constant needs a value, even if it is optional", arguments: ["Int", "Int?"])
  func constant(type: String) {
    expectDiagnostics(
      [refused(column: 18, fix: false)],
      of: """
        final class Trip {
          @Transient let cache: \(type)
        }
        """)
  }

  @Test(
    "A transient property with an initial value is allowed",
    arguments: [
      "var cache: Int?", "var cache: Int!", "var cache: Optional<Int>", "var cache = 1", "let cache = 1",
      "var cache: Int { 1 }", "var cache: Int { get { 1 } set {} }", "lazy var cache: Int = 1", "static var cache = 1",
      "var cache: Int = 1 { didSet {} }", "var cache: Int? { didSet {} }",
    ])
  func accepted(declaration: String) {
    expectDiagnostics([], of: "final class Trip {\n  @Transient \(declaration)\n}")
  }

  @Test("A transient variable with observers but without a value is an error")
  func observed() {
    expectDiagnostics(
      [refused(column: 18, fix: true)],
      of: """
        final class Trip {
          @Transient var cache: Int { didSet {} }
        }
        """,
      fixed: """
        final class Trip {
          @Transient var cache: Int? { didSet {} }
        }
        """)
  }
}
