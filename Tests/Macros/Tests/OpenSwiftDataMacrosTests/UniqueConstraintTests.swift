import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("#Unique")
struct UniqueConstraintTests {
  private func second(line: Int) -> DiagnosticSpec {
    DiagnosticSpec(
      message: "'Trip' has two #Unique; list every constraint as an array in one #Unique", line: line, column: 3,
      fixIts: [FixItSpec(message: "move its constraints to the first #Unique")])
  }

  @Test("A second #Unique is an error; the fix-it moves its constraints to the first")
  func second() {
    expectDiagnostics(
      [second(line: 4)],
      of: """
        @Model final class Trip {
          #Unique<Trip>([\\.name], [\\.days])
          var name: String = ""
          #Unique<Trip>([\\.name, \\.days], [\\.code])
          var days = 0
          var code = 0
          init() {}
        }
        """,
      fixed: """
        @Model final class Trip {
          #Unique<Trip>([\\.name], [\\.days], [\\.name, \\.days], [\\.code])
          var name: String = ""
          var days = 0
          var code = 0
          init() {}
        }
        """)
  }

  @Test("Every #Unique after the first is reported")
  func third() {
    expectDiagnostics(
      [second(line: 3), second(line: 4)],
      of: """
        @Model final class Trip {
          #Unique<Trip>([\\.name])
          #Unique<Trip>([\\.days])
          #Unique<Trip>([\\.code])
          init() {}
        }
        """)
  }

  @Test("A model may have several #Index")
  func indices() {
    expectDiagnostics(
      [],
      of: """
        @Model final class Trip {
          #Index<Trip>([\\.name])
          #Index<Trip>([\\.days])
          #Unique<Trip>([\\.days])
          init() {}
        }
        """)
  }
}
