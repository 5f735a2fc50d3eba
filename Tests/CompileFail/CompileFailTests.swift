import Foundation
import Testing

/// Programs that the compiler must reject. Each lists the expected errors. A different, missing or additional error or
/// a warning fails the test, so that a program is rejected only because of the rule that it tests.
@Suite("Programs that must not compile")
struct CompileFailTests {
  @Test("The compiler gives exactly the expected errors", arguments: try Program.all(in: "Programs"))
  func refused(_ program: Program) throws {
    try program.expect(try Compiler.current().messages(about: [program.file]))
  }

  @Test(
    "The compiler gives exactly the expected errors in each file of a module", arguments: RefusedModule.allCases)
  func refused(_ module: RefusedModule) throws {
    let messages = try module.messages()
    let programs = try module.programs
    for program in programs { try program.expect(messages[program.name] ?? []) }
    let others = messages.filter { file, _ in !programs.contains { $0.name == file } }
    #expect(others.isEmpty)
  }

  @Test(
    "Valid programs show that the others do not fail because of a missing module or flag")
  func control() throws {
    let programs = try Program.all(in: "Programs") + RefusedModule.allCases.flatMap { try $0.programs }
    let allowed = try programs.filter { try $0.expectedErrors.isEmpty }.map(\.name)
    #expect(allowed == ["Control", "TodaySpellings", "Models", "Allowed", "Models", "Models"])
    #expect(programs.count - allowed.count >= 70)
  }
}
