import Foundation
import Testing

/// Compiles models of every kind with all settings of the compiler. The code that the macros generate must cause no
/// warning.
@Suite("Programs that compile without diagnostics")
struct QuietProgramTests {
  @Test("Models of every kind compile without warnings", arguments: try Setting.all())
  func quiet(_ setting: Setting) async throws {
    let files = try Program.all(in: "Quiet").map(\.file)
    let compiler = try Compiler.current()
    let output = try await Workers.shared.run { try compiler.output(about: files, flags: setting.flags) }
    let messages = output.split(separator: "\n").filter { line in
      ["error: ", "warning: ", "remark: "].contains { line.contains($0) } && !line.contains(Self.importOfPlainModule)
    }
    #expect(messages.isEmpty, "\(setting.flags.joined(separator: " "))")
    // Only with library evolution may the output contain anything, namely the message about that import.
    #expect(output.isEmpty || setting.flags.contains("-enable-library-evolution"))
  }

  /// The compiler prints this message if a module with library evolution imports a module without it.
  private static let importOfPlainModule = "was not compiled with library evolution support"

  @Test("The check detects warnings in programs and in generated code")
  func control() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "quiet-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Loud.swift")
    let source = "import SwiftData\nfunc loud() -> any Equatable { let unused = 1; return ValueTransformer() }\n"
    try Data(source.utf8).write(to: file)
    let output = try Compiler.current().output(about: [file], flags: Setting.flags(mode: 6))
    #expect(output.contains("warning: ") && output.contains("unused"))
  }
}

/// A combination of compiler flags.
struct Setting: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let flags: [String]

  static func flags(mode: Int, _ others: [String] = []) -> [String] {
    ["-typecheck", "-swift-version", "\(mode)"] + others
  }

  /// Language modes alone, and language modes with all features and checks of the compiler at once. If code causes no
  /// warning with all features at once, the tests assume that it causes none with one of them. Soak runs also test each
  /// feature separately.
  static func all() throws -> [Setting] {
    let features = try Compiler.upcomingFeatures()
    func upcoming(in mode: Int) -> [String] {
      // The compiler rejects enabling a feature that the language mode already includes.
      features.filter { $0.mode > mode }.flatMap { ["-enable-upcoming-feature", $0.name] }
    }
    let mainActor = ["-default-isolation", "MainActor"]
    let strict = ["-strict-memory-safety", "-warnings-as-errors"]
    let settings = [
      Setting("Swift 5", throughPasses(mode: 5)),
      Setting("Swift 6", throughPasses(mode: 6)),
      Setting("Swift 6, on the main actor", throughPasses(mode: 6, mainActor)),
      Setting("Swift 6, library evolution", throughPasses(mode: 6, ["-enable-library-evolution"])),
      Setting("Swift 5, on the main actor", flags(mode: 5, mainActor)),
      Setting("Swift 5, everything", flags(mode: 5, upcoming(in: 5) + strict)),
      Setting("Swift 6, everything", flags(mode: 6, upcoming(in: 6) + strict)),
      Setting("Swift 6, everything, on the main actor", flags(mode: 6, upcoming(in: 6) + strict + mainActor)),
    ]
    guard ProcessInfo.processInfo.environment["OSD_SOAK"] != nil else { return settings }
    return settings
      + features.filter { $0.mode > 6 }.map { feature in
        Setting("Swift 6, \(feature.name)", flags(mode: 6, ["-enable-upcoming-feature", feature.name]))
      }
  }

  private init(_ name: String, _ flags: [String]) {
    testDescription = name
    self.flags = flags
  }

  /// Flags for a full compilation, which checks data flow and initialisation too. Type checking alone skips these
  /// checks.
  private static func throughPasses(mode: Int, _ others: [String] = []) -> [String] {
    ["-emit-sil", "-o", "/dev/null", "-swift-version", "\(mode)"] + others
  }
}

/// Runs at most two compilers at the same time.
actor Workers {
  static let shared = Workers()

  private var idle = 2
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func run(_ work: @Sendable @escaping () throws -> String) async throws -> String {
    if idle == 0 { await withCheckedContinuation { waiting.append($0) } } else { idle -= 1 }
    defer { release() }
    return try await Task.detached(operation: work).value
  }

  private func release() {
    if waiting.isEmpty { idle += 1 } else { waiting.removeFirst().resume() }
  }
}
