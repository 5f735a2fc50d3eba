import BenchmarkCore
import Foundation

/// A participant in Python: SQLAlchemy's object-relational mapper, over SQLite, or over PostgreSQL with the driver
/// psycopg.
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
  static let isInstalled: Bool = {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [python, "-c", "import psycopg, sqlalchemy; assert sqlalchemy.__version__ >= '2'"]
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }()

  static let advice = """
    SQLAlchemy 2 with psycopg 3 is left out: \(python) does not find them. Install them: \
    python3 -m venv .build/peer && .build/peer/bin/pip install 'sqlalchemy>=2,<2.1' 'psycopg[binary]>=3.1', \
    and set BENCHMARK_PYTHON to .build/peer/bin/python.
    """
}

/// A file with all values of a plan, for SQLAlchemy. The contenders in Swift generate these values themselves. The file is
/// removed with this object.
final class PlanFile {
  let path: String

  /// Returns nil if SQLAlchemy does not take part.
  init?(for participants: [any Participant], rows: Int) throws {
    guard participants.contains(where: { $0 is SQLAlchemy }) else { return nil }
    let file = FileManager.default.temporaryDirectory.appending(path: "plan-\(UUID().uuidString).json")
    path = file.path
    try JSONEncoder().encode(ExportedPlan(WorkPlan(rows: rows))).write(to: file)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
