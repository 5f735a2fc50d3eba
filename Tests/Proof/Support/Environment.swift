import Foundation
import Testing

/// The programs that process stores. If one is missing, the test fails with the command that installs it.
enum Environment {
  /// The folder with the Python packages and programs. The script creates it if it does not exist.
  private static let folder = Result<URL, any Error> {
    let made = try Program(command: [Program.package.appending(path: "Scripts/proof-environment").path]).result([])
    guard made.status == 0, let path = made.lines.last else { throw Missing(description: made.errors) }
    return URL(filePath: path)
  }

  struct Missing: Error, CustomStringConvertible { let description: String }

  /// A Python script of this folder, which runs with the packages in `requirements.txt`.
  static func script(_ name: String) throws -> Program {
    Program(command: [try folder.get().appending(path: "bin/python3").path, Program.scripts.appending(path: name).path])
  }

  /// A program that a Python package has installed.
  static func program(_ name: String) throws -> Program {
    Program(command: [try folder.get().appending(path: "bin/\(name)").path])
  }

  /// The SQLite shell that is installed on the system.
  static func systemShell() throws -> Program {
    let shell = Program(command: ["sqlite3"])
    let version = try shell.result(["-version"])
    guard version.status == 0 else {
      throw Missing(description: "sqlite3 is missing. Install it with: apt-get install --yes sqlite3")
    }
    return shell
  }

  /// A shell with a newer SQLite, from the Python package `apsw`.
  static func newestShell() throws -> Program {
    Program(command: [try folder.get().appending(path: "bin/python3").path, "-m", "apsw"])
  }

  /// A program such as SQLite's shell, built with the newest SQLite but without the R-tree module.
  static func withoutTrees(_ name: String) throws -> Program {
    let python = try folder.get().appending(path: "bin/python3").path
    let lines = try Program(command: [python, "-m", "apsw.sqlite_extra", "--path"]).run([name])
    return Program(command: [try #require(lines.last)])
  }

  /// A shell with the command `.recover`. Debian's SQLite shell does not have it, because its library is built without
  /// `sqlite_dbpage`.
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

/// The SQLite shells with which tests run.
enum Shell: String, CaseIterable, CustomTestStringConvertible {
  case system, newest

  /// The shell, with options that make it stop at the first error.
  func program() throws -> Program {
    let program = self == .system ? try Environment.systemShell() : try Environment.newestShell()
    return Program(command: program.command + ["-bail", "-batch"])
  }

  var testDescription: String { self == .system ? "the system's" : "the newest" }
}
