import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Initialisers of models")
struct InitializerTests {
  private func missing(_ line: Int, _ column: Int) -> DiagnosticSpec {
    DiagnosticSpec(
      message: "@Model requires an initializer be provided for 'Trip'", line: line, column: column,
      fixIts: [FixItSpec(message: "add an initializer")])
  }

  @Test("A model without an initialiser gets one with a parameter for each property without a default")
  func parameters() {
    expectDiagnostics(
      [missing(2, 13)],
      of: """
        @Model
        final class Trip {
          var name: String
          var `in`: Int
          var days = 1
          var note: String?
          let kind = "trip"
          let code: Int?
          @Transient var cache: [String] = []
          static let all = 0
        }
        """,
      fixed: """
        @Model
        final class Trip {
          var name: String
          var `in`: Int
          var days = 1
          var note: String?
          let kind = "trip"
          let code: Int?
          @Transient var cache: [String] = []
          static let all = 0

          init(name: String, `in`: Int, code: Int?) { self.name = name; self.`in` = `in`; self.code = code }
        }
        """)
  }

  @Test("A model whose properties all have defaults also gets an initialiser")
  func defaults() {
    expectDiagnostics(
      [missing(2, 25)],
      of: """
        enum V1 {
            @Model public class Trip {
                var days = 1
            }
        }
        """,
      fixed: """
        enum V1 {
            @Model public class Trip {
                var days = 1

                public init() {}
            }
        }
        """)
  }

  @Test("The initialiser of an empty model is on its own line")
  func empty() {
    expectDiagnostics(
      [missing(1, 20)],
      of: """
        @Model final class Trip {}
        """,
      fixed: """
        @Model final class Trip {
          init() {}
        }
        """)
  }

  @Test("A convenience or decoding initialiser counts as an initialiser")
  func others() {
    expectDiagnostics(
      [],
      of: """
        @Model final class Trip {
          init(from decoder: any Decoder) throws {}
        }
        """)
  }

  @Test("An initialiser in #if counts as an initialiser")
  func conditional() {
    let source = """
      @Model final class Trip {
        #if DEBUG
        init() {}
        #endif
      }
      """
    expectDiagnostics([], of: source)
    #expect(expand(source).contains("PersistentModel {}"))
  }

  @Test("A model that lacks an initialiser gets no conformance, so that no further error is reported")
  func noConformance() {
    #expect(!expand("@Model final class Trip { var days = 1 }").contains("extension"))
  }
}
