import ConformanceSupport
import Foundation
import Testing

/// The number of steps that the compiler's constraint solver needs for the expressions of a file.
struct SolverSteps: Equatable {
  /// The number of times that the solver tried to bind a type or to choose an overload.
  let scopes: Int

  /// - Parameter folder: The folder into which the compiler wrote its statistics.
  init(statisticsIn folder: URL) throws {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let file = try #require(files.first { $0.pathExtension == "json" }, "the compiler wrote statistics")
    let counters = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any], "statistics are an object")
    scopes = try #require(counters["Sema.NumConstraintScopes"] as? Int)
  }
}

extension Compiler {
  /// Type-checks a file of a module, and counts the steps of the solver. Any error fails the test.
  ///
  /// - Parameter others: The other files of the module; only their declarations are checked.
  func solverSteps(for file: URL, with others: [URL], flags: [String] = []) throws -> SolverSteps {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let messages = try run(
      ["-frontend", "-typecheck", "-swift-version", "6", "-module-name", "Measured", "-primary-file", file.path]
        + others.map(\.path) + ["-stats-output-dir", folder.path, "-plugin-path", try pluginFolder()] + moduleFlags()
        + flags)
    try #require(messages.isEmpty, "the compiler refuses \(file.lastPathComponent): \(messages)")
    return try SolverSteps(statisticsIn: folder)
  }

  /// The folder of the toolchain's macros. The driver passes it to the compiler; the tests call the frontend, which
  /// needs it as an argument.
  private func pluginFolder() throws -> String {
    let data = try Data(output(of: ["-print-target-info"]).utf8)
    let target = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let paths = try #require(target?["paths"] as? [String: Any])
    let resources = try #require(paths["runtimeResourcePath"] as? String)
    return URL(filePath: resources).appending(path: "host/plugins").path
  }
}
