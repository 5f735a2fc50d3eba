import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Kinds of types that @Model rejects")
struct ModelKindTests {
  @Test("A structure is an error; the fix-it makes it a class")
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

  @Test("An enumeration is an error; the fix-it makes it a class")
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

  @Test("A distributed actor is an error; the fix-it makes it an actor")
  func distributedActor() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message:
            "'@Model' cannot be applied to distributed actor type 'Trip'; its properties must be in this process",
          line: 1, column: 1, fixIts: [FixItSpec(message: "remove 'distributed'")])
      ],
      of: """
        @Model distributed actor Trip {
          var name = ""
        }
        """,
      fixed: """
        @Model actor Trip {
          var name = ""
        }
        """)
  }

  @Test("A protocol cannot be a model; a class that conforms to it can")
  func protocolType() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "'@Model' cannot be applied to protocol type 'Trip'; a model has identity, so it must be a class",
          line: 1, column: 1)
      ],
      of: """
        @Model protocol Trip {
          var name: String { get }
        }
        """)
  }

  @Test("An extension cannot be a model: the attribute belongs on the class itself")
  func extensionOfClass() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message:
            "'@Model' cannot be applied to an extension of 'Trip'; write it before the declaration of the class",
          line: 1, column: 1)
      ],
      of: """
        @Model extension Trip {
          var title: String { name }
        }
        """)
  }

  @Test("A rejected type gets no members", arguments: ["struct", "enum"])
  func noExpansion(keyword: String) {
    #expect(expand("@Model \(keyword) Trip {\n  var name: String\n}") == "\(keyword) Trip {\n  var name: String\n}")
  }
}
