import Foundation
import Testing

/// What the compiler must refuse: each program of the folder `Programs` says on its first lines, after `// expect:`,
/// every error that it must give. A program with another error, with one less, or with a warning fails its test, so that
/// no program is refused for a reason that is not the rule it stands for.
@Suite("Programs that must not compile")
struct CompileFailTests {
  @Test("The compiler gives the expected errors and no other", arguments: try Program.all())
  func refused(_ program: Program) throws {
    let expected = try program.expectedErrors
    let messages = try Compiler.current().messages(about: program)
    let unexpected = messages.filter { message in !expected.contains { message.contains($0) } }
    let missing = expected.filter { error in !messages.contains { $0.contains(error) } }
    #expect(unexpected.isEmpty)
    #expect(missing.isEmpty)
  }

  @Test("The folder has programs, and one of them compiles") func control() throws {
    let programs = try Program.all()
    #expect(programs.count > 10)
    #expect(try programs.filter { try $0.expectedErrors.isEmpty }.map(\.name) == ["Control"])
  }
}

/// One file of `Programs`.
struct Program: CustomTestStringConvertible {
  let file: URL

  var name: String { file.deletingPathExtension().lastPathComponent }
  var testDescription: String { name }

  var expectedErrors: [String] {
    get throws {
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        .prefix { $0.hasPrefix("//") }
        .compactMap { line in
          line.hasPrefix("// expect: ") ? String(line.dropFirst("// expect: ".count)) : nil
        }
    }
  }

  static func all() throws -> [Program] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Programs")
    return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "swift" }
      .map(Program.init)
      .sorted { $0.name < $1.name }
  }
}
