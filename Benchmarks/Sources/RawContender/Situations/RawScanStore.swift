import BenchmarkCore
import CSQLiteBenchmark
import Foundation

/// The situation with large values, in hand-written code: each value is a file in a folder beside the database, and its
/// row has the number and the size of the file.
///
/// The files are flushed as by the library (decision 14): each file after it is written, and the folder before the
/// commit, so that no committed row refers to a file that a power failure can remove. The commit itself is not flushed
/// (`synchronous = NORMAL`).
struct RawScanStore {
  private let connection: RawConnection
  private let transactions: RawTransactions
  private let folder: String

  init(_ connection: RawConnection, besides file: URL) throws {
    self.connection = connection
    folder = file.path + "_files"
    try connection.execute(
      "CREATE TABLE scan(id INTEGER PRIMARY KEY, name TEXT NOT NULL, number INTEGER NOT NULL, bytes INTEGER NOT NULL)")
    transactions = try RawTransactions(on: connection)
  }

  func run(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    try insert(plan.makeScans(), stopwatch)
    let fetch = try connection.prepare("SELECT name, number, bytes FROM scan")
    let scans = try stopwatch.measure {
      try rows(of: fetch).map { row in
        ScanValues(name: row.name, content: try RawFile.read(path(of: row.number), count: row.bytes))
      }
    }
    return scans.reduce(0) { $0 &+ $1.checksum }
  }

  private func insert(_ scans: [ScanValues], _ stopwatch: Stopwatch) throws {
    let insert = try connection.prepare("INSERT INTO scan(name, number, bytes) VALUES (?, ?, ?)")
    try stopwatch.measure {
      try RawFile.makeFolder(folder)
      try transactions.run {
        for (index, scan) in scans.enumerated() { try add(scan, number: index + 1, with: insert) }
        try RawFile.flush(folder)
      }
    }
  }

  private func add(_ scan: ScanValues, number: Int, with insert: RawStatement) throws {
    try RawFile.write(scan.content, to: path(of: number))
    sqlite3_bind_int64(insert.handle, 2, Int64(number))
    sqlite3_bind_int64(insert.handle, 3, Int64(scan.content.count))
    var name = scan.name
    try name.withUTF8 { name in
      RawText.bind(name, insert.handle, 1)
      try insert.run()
    }
  }

  private func rows(of fetch: RawStatement) throws -> [(name: String, number: Int, bytes: Int)] {
    var rows: [(name: String, number: Int, bytes: Int)] = []
    try fetch.forEachRow { row in
      rows.append(
        (RawText.read(row, 0) ?? "", Int(sqlite3_column_int64(row, 1)), Int(sqlite3_column_int64(row, 2))))
    }
    return rows
  }

  private func path(of number: Int) -> String { "\(folder)/\(number)" }
}

/// Reads and writes whole files by system calls.
private enum RawFile {
  /// Creates a folder, and flushes the folder that contains it.
  static func makeFolder(_ path: String) throws {
    guard mkdir(path, 0o777) == 0 else { throw failure(path) }
    try flush(URL(fileURLWithPath: path).deletingLastPathComponent().path)
  }

  /// Writes a file and flushes it.
  static func write(_ data: Data, to path: String) throws {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    try data.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = Foundation.write(descriptor, part.baseAddress, part.count)
        guard count > 0 else { throw failure(path) }
        rest = rest.dropFirst(count)
      }
    }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  /// Reads a file of the given size.
  static func read(_ path: String, count: Int) throws -> Data {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var data = Data(count: count)
    try data.withUnsafeMutableBytes { bytes in
      var start = 0
      while start < count {
        let part = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
        let length = Foundation.read(descriptor, part.baseAddress, part.count)
        guard length > 0 else { throw failure(path) }
        start += length
      }
    }
    return data
  }

  /// Flushes a folder, so that the names of its new files are durable.
  static func flush(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw failure(path) }
  }

  private static func failure(_ path: String) -> RawError {
    RawError(message: "\(path): \(String(cString: strerror(errno)))")
  }
}
