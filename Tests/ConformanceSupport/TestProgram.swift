import SwiftData
import Testing

/// Finds the programs that were built together with the tests.
package enum TestProgram {
  /// The folders that may contain the test executable.
  package static var folders: [URL] {
    let executable = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    let places = [executable] + CommandLine.arguments.map { URL(filePath: $0) }
    return places.map { $0.deletingLastPathComponent() }
  }

  /// The file of a program of the package. It is in the same folder as the test executable.
  package static func url(_ name: String) throws -> URL {
    let programs = folders.map { $0.appending(path: name) }
    return try #require(
      programs.first { access($0.path, X_OK) == 0 }, "\(name) is beside the test executable")
  }
}
