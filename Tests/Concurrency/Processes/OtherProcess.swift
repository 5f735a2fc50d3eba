import ConformanceSupport
import Foundation
import SwiftData
import Testing

/// A process of the program `SharedStoreProcess`.
struct OtherProcess {
  /// The lines of its output.
  let lines: [String]

  /// Runs the program and waits for its end, without blocking a thread on which tasks run.
  static func run(_ arguments: String...) async throws -> OtherProcess {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "output")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let process = Process()
    process.executableURL = try TestProgram.url("SharedStoreProcess")
    process.arguments = arguments
    process.standardOutput = try FileHandle(forWritingTo: output)
    let status = try await withCheckedThrowingContinuation { continuation in
      process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    let text = try String(contentsOf: output, encoding: .utf8)
    try #require(status == 0, "the process failed after \(text.suffix(200))")
    return OtherProcess(lines: text.split(separator: "\n").map(String.init))
  }
}

/// A folder for a store that processes share. It is removed when this object is released.
final class SharedFolder {
  private let folder: URL
  var path: String { folder.appending(path: "shared.store").path }

  init() throws { folder = try TestStore.makeFolder() }

  deinit { try? FileManager.default.removeItem(at: folder) }
}
