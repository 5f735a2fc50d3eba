import Foundation
import Testing

/// Tests the warning about an unsafe compiler flag on the documentation page about files that import only Foundation.
@Suite("Packages with unsafe flags")
struct UnsafeFlagTests {
  private static let byVersion = #"from: "1.0.0""#
  private static let message = "the target 'App' in product 'App' contains unsafe build flags"

  /// The target with the flag, from the example on the page.
  private static func flaggedTarget() throws -> String {
    let lines = try FoundationTableTests.page().split(separator: "\n")
    return String(try #require(lines.first { $0.hasPrefix(".target(name: \"App\"") }))
  }

  @Test(
    "A package with unsafe flags cannot be a dependency by version; the page quotes SwiftPM's error")
  func refusal() throws {
    let client = try ClientPackage(of: try Self.flaggedTarget(), as: Self.byVersion)
    defer { client.remove() }
    let (text, status) = try client.load()
    #expect(status != 0)
    #expect(text.contains("error: 'client': \(Self.message)"), "\(text)")
    #expect(try FoundationTableTests.page().contains("\"\(Self.message)\""))
  }

  @Test(
    "A package with unsafe flags can be a dependency by branch, and one without them a dependency by version",
    arguments: [true, false])
  func acceptance(hasFlags: Bool) throws {
    let target = try hasFlags ? Self.flaggedTarget() : ".target(name: \"App\")"
    let client = try ClientPackage(of: target, as: hasFlags ? #"branch: "main""# : Self.byVersion)
    defer { client.remove() }
    let (text, status) = try client.load()
    #expect(status == 0, "\(text)")
  }
}

/// A package `Client` that depends on a package `App` in a repository beside it.
private struct ClientPackage {
  private let folder: URL

  init(of target: String, as requirement: String) throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "client-\(UUID().uuidString)")
    try write("App", "products: [.library(name: \"App\", targets: [\"App\"])], targets: [\(target)]")
    let dependency = ".package(url: \"file://\(folder.appending(path: "App").path)\", \(requirement))"
    let product = ".product(name: \"App\", package: \"App\")"
    try write(
      "Client", "dependencies: [\(dependency)], targets: [.target(name: \"Client\", dependencies: [\(product)])]")
    try publishApp()
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Makes SwiftPM fetch the dependencies and check all targets, as it does before a build, but does not build.
  func load() throws -> (text: String, status: Int32) {
    let folders = ["cache", "config", "security"].flatMap { ["--\($0)-path", folder.appending(path: $0).path] }
    return try run(
      ["swift", "package", "--package-path", folder.appending(path: "Client").path] + folders + ["show-dependencies"])
  }

  private func write(_ name: String, _ content: String) throws {
    let package = folder.appending(path: name)
    let sources = package.appending(path: "Sources").appending(path: name)
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    try Data("let one = 1\n".utf8).write(to: sources.appending(path: "\(name).swift"))
    let manifest =
      "// swift-tools-version: 6.0\nimport PackageDescription\n\nlet package = Package(name: \"\(name)\", \(content))\n"
    try Data(manifest.utf8).write(to: package.appending(path: "Package.swift"))
  }

  private func publishApp() throws {
    let author = ["-c", "user.name=tests", "-c", "user.email=tests@localhost"]
    for command in [["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "App"], ["tag", "1.0.0"]] {
      let (text, status) = try run(["git", "-C", folder.appending(path: "App").path] + author + command)
      try #require(status == 0, "\(text)")
    }
  }

  private func run(_ arguments: [String]) throws -> (text: String, status: Int32) {
    // Git must not use the user's settings, nor the repository whose hook may have started the tests.
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GIT_") }
    environment["GIT_CONFIG_GLOBAL"] = "/dev/null"
    environment["GIT_CONFIG_NOSYSTEM"] = "1"
    return try Command.run(arguments, environment: environment)
  }
}
