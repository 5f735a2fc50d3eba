import Foundation
import Testing

/// The programs that stores are given to. What is missing fails a test, with the line that installs it.
enum Environment {
  /// The folder of Python's packages and programs, which is made once.
  private static let folder = Result<URL, any Error> {
    let made = try Program(command: [Program.package.appending(path: "Scripts/proof-environment").path]).result([])
    guard made.status == 0, let path = made.lines.last else { throw Missing(description: made.errors) }
    return URL(filePath: path)
  }

  struct Missing: Error, CustomStringConvertible { let description: String }

  /// A script of ours, in Python with what `requirements.txt` names.
  static func script(_ name: String) throws -> Program {
    Program(command: [try folder.get().appending(path: "bin/python3").path, Program.scripts.appending(path: name).path])
  }

  /// A program that came with a package of Python's.
  static func program(_ name: String) throws -> Program {
    Program(command: [try folder.get().appending(path: "bin/\(name)").path])
  }

  /// The shell of SQLite that the system has.
  static func systemShell() throws -> Program {
    let shell = Program(command: ["sqlite3"])
    let version = try shell.result(["-version"])
    guard version.status == 0 else {
      throw Missing(description: "sqlite3 is missing. Install it with: apt-get install --yes sqlite3")
    }
    return shell
  }

  /// A shell over the newest SQLite, which the package `apsw` brings.
  static func newestShell() throws -> Program {
    Program(command: [try folder.get().appending(path: "bin/python3").path, "-m", "apsw"])
  }

  /// A program that is built with the newest SQLite, without R-trees, such as its own shell.
  static func withoutTrees(_ name: String) throws -> Program {
    let python = try folder.get().appending(path: "bin/python3").path
    let lines = try Program(command: [python, "-m", "apsw.sqlite_extra", "--path"]).run([name])
    return Program(command: [try #require(lines.last)])
  }

  /// A shell that can recover: the one of Debian cannot, since its library lacks `sqlite_dbpage`.
  static func recoveringShell() throws -> Program {
    let shell = Program(command: ["fossil", "sql", "--no-repository"])
    let version = try shell.result([":memory:", "SELECT sqlite_version()"])
    guard version.status == 0 else {
      throw Missing(
        description: "fossil is missing, whose shell of SQLite can recover. Install it with: "
          + "apt-get install --yes fossil")
    }
    return shell
  }
}

/// The shells of SQLite.
enum Shell: String, CaseIterable, CustomTestStringConvertible {
  case system, newest

  /// The shell, which stops at the first error.
  func program() throws -> Program {
    let program = self == .system ? try Environment.systemShell() : try Environment.newestShell()
    return Program(command: program.command + ["-bail", "-batch"])
  }

  var testDescription: String { self == .system ? "the system's" : "the newest" }
}
