import BenchmarkCore
import CSQLiteBenchmark
import Foundation

/// The situation with a large schema, in hand-written code: 200 tables of seven columns, and a number for the version
/// of the schema.
public enum RawEntities {
  private static let version = 1

  /// Opens the file of an earlier process twice, or creates a new file. Each opening is measured with its first query.
  static func open(_ file: URL, _ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    guard FileManager.default.fileExists(atPath: file.path) else {
      return try stopwatch.measure { try create(file, tables: plan.entities) }
    }
    return try (0..<2).reduce(0) { sum, _ in try stopwatch.measure { try openAndCount(file) } + sum }
  }

  /// Creates the tables in one transaction.
  private static func create(_ file: URL, tables: Int) throws -> Int {
    let connection = try RawConnection(file, settings: .ofSituations)
    try connection.execute("BEGIN IMMEDIATE")
    for number in 0..<tables {
      try connection.execute(
        """
        CREATE TABLE form_\(number)(
          id INTEGER PRIMARY KEY, name TEXT NOT NULL, count INTEGER NOT NULL, price REAL NOT NULL,
          is_open INTEGER NOT NULL, made REAL NOT NULL, note TEXT, tags TEXT NOT NULL)
        """)
    }
    try connection.execute("PRAGMA user_version = \(version); COMMIT")
    return try count(connection)
  }

  /// Checks the version of the schema, and runs a query.
  private static func openAndCount(_ file: URL) throws -> Int {
    let connection = try RawConnection(file, settings: .ofSituations)
    guard try connection.prepare("PRAGMA user_version").fetchNumber() == version else {
      throw SituationError.notDone(.entities, reason: "the file has another version")
    }
    return try count(connection)
  }

  private static func count(_ connection: RawConnection) throws -> Int {
    try connection.prepare("SELECT COUNT(*) FROM form_0").fetchNumber()
  }

  /// The number of the tables of forms and of their columns, whichever contender created them.
  public static func checksum(of file: URL) throws -> Int {
    let connection = try RawConnection(file, settings: .ofSituations)
    return try connection.prepare(
      """
      SELECT count(*) FROM sqlite_master AS tables, pragma_table_info(tables.name)
      WHERE tables.type = 'table' AND lower(tables.name) LIKE 'form%'
      """
    ).fetchNumber()
  }
}
