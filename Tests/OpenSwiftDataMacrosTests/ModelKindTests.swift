import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Kinds of types that @Model refuses")
struct ModelKindTests {
  @Test("A structure is no model; the fix makes it a class")
  func structure() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "'@Model' cannot be applied to struct type 'Trip'; a model has identity, so it must be a class",
          line: 1, column: 1, fixIts: [FixItSpec(message: "replace with 'class'")])
      ],
      of: """
        @Model struct Trip {
          var name: String
        }
        """,
      fixed: """
        @Model class Trip {
          var name: String
        }
        """)
  }

  @Test("An enumeration is no model; the fix makes it a class")
  func enumeration() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "'@Model' cannot be applied to enum type 'Trip'; a model has identity, so it must be a class",
          line: 2, column: 3, fixIts: [FixItSpec(message: "replace with 'class'")])
      ],
      of: """
        struct Journal {
          @Model
          public enum Trip {
          }
        }
        """,
      fixed: """
        struct Journal {
          @Model
          public class Trip {
          }
        }
        """)
  }

  @Test("An actor is no model, and no single word would make it one")
  func actorType() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message:
            "'@Model' cannot be applied to actor type 'Trip'; declare a class, and reach it through a model actor",
          line: 1, column: 1)
      ],
      of: """
        @Model actor Trip {
          var name = ""
        }
        """)
  }

  @Test("Nothing is added to what is no model", arguments: ["struct", "enum"])
  func noExpansion(keyword: String) {
    #expect(expand("@Model \(keyword) Trip {\n  var name: String\n}") == "\(keyword) Trip {\n  var name: String\n}")
  }
}
