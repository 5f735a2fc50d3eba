import Foundation
import Testing

/// A source file whose first lines list the compiler's expected errors, after `// expect:`.
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

  /// Records the expected messages that are missing, and the messages that were not expected.
  func expect(_ messages: [String]) throws {
    let expected = try expectedErrors
    let unexpected = messages.filter { message in !expected.contains { message.contains($0) } }
    let missing = expected.filter { error in !messages.contains { $0.contains(error) } }
    #expect(unexpected.isEmpty, "\(name)")
    #expect(missing.isEmpty, "\(name)")
  }

  static func all(in folder: String) throws -> [Program] {
    let root = URL(filePath: #filePath).deletingLastPathComponent()
    return try FileManager.default.contentsOfDirectory(
      at: root.appending(path: folder), includingPropertiesForKeys: nil
    )
    .filter { $0.pathExtension == "swift" }
    .map(Program.init)
    .sorted { $0.name < $1.name }
  }
}
