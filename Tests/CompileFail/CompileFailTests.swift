import Foundation
import Testing

/// What the compiler must refuse: each program says which errors it must give. One with another error, with one less, or
/// with a warning fails its test, so that no program is refused for a reason that is not the rule it stands for.
@Suite("Programs that must not compile")
struct CompileFailTests {
  @Test("The compiler gives the expected errors and no other", arguments: try Program.all(in: "Programs"))
  func refused(_ program: Program) throws {
    try program.expect(try Compiler.current().messages(about: [program.file]))
  }

  @Test(
    "The compiler gives the expected errors in each file of a module and no other", arguments: RefusedModule.allCases)
  func refused(_ module: RefusedModule) throws {
    let messages = try module.messages()
    let programs = try module.programs
    for program in programs { try program.expect(messages[program.name] ?? []) }
    let others = messages.filter { file, _ in !programs.contains { $0.name == file } }
    #expect(others.isEmpty)
  }

  @Test(
    "Programs that must compile prove that the others do not fail for a missing module or flag")
  func control() throws {
    let programs = try Program.all(in: "Programs") + RefusedModule.allCases.flatMap { try $0.programs }
    let allowed = try programs.filter { try $0.expectedErrors.isEmpty }.map(\.name)
    #expect(allowed == ["Control", "TodaySpellings", "Models", "Allowed", "Models", "Models"])
    #expect(programs.count - allowed.count >= 70)
  }
}
