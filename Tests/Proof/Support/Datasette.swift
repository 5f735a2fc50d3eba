import Foundation
import Testing

/// A Datasette server that shows a store. It runs until this object is deinitialised.
final class Datasette {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var unread = Data()

  init(_ store: MuseumStore) throws {
    let program = try Environment.script("serve_datasette.py")
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = program.command + [store.path]
    process.environment = Program.variables
    (process.standardInput, process.standardOutput) = (input, output)
    try process.run()
  }

  deinit {
    // Another process may have inherited the pipe. Then the server does not notice that this process closes it, so an
    // empty line stops the server.
    try? input.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    process.waitUntilExit()
  }

  /// Requests a page, which must exist, and returns its JSON.
  func page(_ path: String, location: SourceLocation = #_sourceLocation) throws -> Any {
    try input.fileHandleForWriting.write(contentsOf: Data((path + "\n").utf8))
    let answer = try JSONSerialization.jsonObject(with: try line()) as? [String: Any]
    let status = try #require(answer?["status"] as? Int, sourceLocation: location)
    let content = try #require(answer?["content"], sourceLocation: location)
    try #require(status == 200, "\(path): \(status) \(content)", sourceLocation: location)
    return content
  }

  /// Requests a page whose JSON is a list of rows.
  func rows(_ path: String, location: SourceLocation = #_sourceLocation) throws -> [[String: Any]] {
    try #require(try page(path, location: location) as? [[String: Any]], sourceLocation: location)
  }

  private func line() throws -> Data {
    while true {
      if let end = unread.firstIndex(of: 10) {
        defer { unread = Data(unread[unread.index(after: end)...]) }
        return unread[..<end]
      }
      let more = output.fileHandleForReading.availableData
      try #require(!more.isEmpty, "the server has ended")
      unread += more
    }
  }
}
