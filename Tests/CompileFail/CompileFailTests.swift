import Foundation
import Testing

/// Programs that the compiler must reject. Each program lists the errors that it expects. The test fails if an expected
/// error is missing, or if the compiler reports another error or a warning. So it passes only if the compiler rejects
/// the program because of the rule that the program tests.
@Suite("Programs that must not compile")
struct CompileFailTests {
  @Test("The compiler reports exactly the expected errors", arguments: try Program.all(in: "Programs"))
  func refused(_ program: Program) throws {
    try program.expect(try Compiler.current().messages(about: [program.file]))
  }

  @Test(
    "The compiler reports exactly the expected errors in each file of a module", arguments: RefusedModule.allCases)
  func refused(_ module: RefusedModule) throws {
    let messages = try module.messages()
    let programs = try module.programs
    for program in programs { try program.expect(messages[program.name] ?? []) }
    let others = messages.filter { file, _ in !programs.contains { $0.name == file } }
    #expect(others.isEmpty)
  }

  @Test(
    "Each group of programs has a valid one, so the invalid ones do not fail for lack of a module or flag")
  func control() throws {
    let programs = try Program.all(in: "Programs") + RefusedModule.allCases.flatMap { try $0.programs }
    let allowed = try programs.filter { try $0.expectedErrors.isEmpty }.map(\.name)
    #expect(allowed == ["Control", "TodaySpellings", "Models", "Allowed", "Models", "Models"])
    #expect(programs.count - allowed.count >= 70)
  }
}
