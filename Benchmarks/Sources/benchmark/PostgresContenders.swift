#if PostgreSQL
  import ArgumentParser
  import BenchmarkCore
  import Foundation
  import LibpqContender

  #if MEASURES_LIBRARY
    import OurContender
  #endif

  /// All contenders for databases on a server, in the order of the tables' columns. The ratios refer to the times of
  /// the first one.
  enum PostgresContenders {
    /// The contenders that are written in Swift.
    static func all(on database: String) -> [any Contender] {
      var all: [any Contender] = [LibpqContender(database)]
      #if MEASURES_LIBRARY
        all.append(OurPostgresContender(database))
      #endif
      return all
    }

    /// The contenders in Swift and SQLAlchemy that have the given names, or all if there are no names. The first
    /// contender is always included.
    static func participants(named names: [String]) throws -> [any Participant] {
      let all = all(on: "") as [any Participant] + [SQLAlchemy()]
      if let name = names.first(where: { name in !all.contains { $0.name == name } }) {
        let known = all.map(\.name).joined(separator: ", ")
        throw ValidationError("There is no contender '\(name)' on a server. There are: \(known).")
      }
      return all.enumerated().filter { $0 == 0 || names.isEmpty || names.contains($1.name) }.map(\.element)
    }

    static func named(_ name: String, on database: String) throws -> any Contender {
      guard let contender = all(on: database).first(where: { $0.name == name }) else {
        throw ValidationError("There is no contender '\(name)' in Swift on a server.")
      }
      return contender
    }
  }

  /// A participant in Python: SQLAlchemy's object-relational mapper with the driver psycopg.
  struct SQLAlchemy: Participant {
    let name = "sqlalchemy"
    let title = "SQLAlchemy"

    private static var python: String { ProcessInfo.processInfo.environment["BENCHMARK_PYTHON"] ?? "python3" }

    /// The command that runs its rounds, without options.
    static var command: [String] {
      let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..").standardized
      return ["/usr/bin/env", python, package.appending(path: "sqlalchemy/round.py").path]
    }

    /// True if Python finds the packages SQLAlchemy, from version 2 on, and psycopg.
    static var isInstalled: Bool {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [python, "-c", "import psycopg, sqlalchemy; assert sqlalchemy.__version__ >= '2'"]
      process.standardError = FileHandle.nullDevice
      guard (try? process.run()) != nil else { return false }
      process.waitUntilExit()
      return process.terminationStatus == 0
    }

    static let advice = """
      SQLAlchemy 2 with psycopg 3 is left out: \(python) does not find them. Install them: \
      python3 -m venv .build/peer && .build/peer/bin/pip install 'sqlalchemy>=2,<2.1' 'psycopg[binary]>=3.1', \
      and set BENCHMARK_PYTHON to .build/peer/bin/python.
      """
  }
#endif
