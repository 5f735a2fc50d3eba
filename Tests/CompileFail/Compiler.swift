import ConformanceSupport
import Foundation
import Testing

/// The Swift compiler, called so that programs can import the modules of the running tests.
struct Compiler {
  private let products: URL
  private let sources: URL

  /// The compiler for the build that contains the test executable.
  static func current() throws -> Compiler {
    let products = TestProgram.folders.first {
      FileManager.default.fileExists(atPath: $0.appending(path: "Modules/SwiftData.swiftmodule").path)
    }
    return Compiler(
      products: try #require(products, "the modules are beside the test executable"),
      sources: URL(filePath: #filePath).appending(path: "../../../Sources").standardizedFileURL)
  }

  /// Compiles a program with optimisation, and returns its intermediate code (SIL).
  func optimized(_ file: URL) throws -> String {
    let result = file.deletingPathExtension().appendingPathExtension("sil")
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments =
      try ["swiftc", "-O", "-wmo", "-emit-sil", "-o", result.path, "-swift-version", "6", "-parse-as-library"]
      + moduleFlags() + [file.path]
    compiler.standardError = FileHandle.nullDevice
    try compiler.run()
    compiler.waitUntilExit()
    return try String(contentsOf: result, encoding: .utf8)
  }

  /// The flags with which the compiler finds the library's modules and macros.
  func moduleFlags() throws -> [String] {
    try ["-I", products.appending(path: "Modules").path]
      + ["-module-cache-path", products.appending(path: "ModuleCache").path]
      + cModuleFlags()
      + ["-load-plugin-executable", "\(products.appending(path: "OpenSwiftDataMacros-tool").path)#OpenSwiftDataMacros"]
  }

  /// Compiles the files of a program, and returns the compiler's errors and warnings.
  ///
  /// The compiler also runs the passes that check which values may be sent to another task. Type checking alone would
  /// skip these passes.
  func messages(about files: [URL], flags: [String] = []) throws -> [String] {
    try run(
      ["-emit-sil", "-o", "/dev/null", "-swift-version", "6", "-parse-as-library", "-wmo"]
        + ["-diagnostic-style", "llvm"] + moduleFlags() + flags + files.map(\.path))
  }

  /// Runs the compiler, and returns its errors and warnings.
  func run(_ arguments: [String]) throws -> [String] {
    let (text, status) = try Self.result(of: arguments)
    let messages = text.split(separator: "\n").filter { $0.contains("error: ") || $0.contains("warning: ") }
    // If the compiler fails without a message, it did not reject the program but failed itself.
    guard messages.isEmpty, status != 0 else { return messages.map(String.init) }
    return ["error: the compiler ended with \(status): \(text)"]
  }

  /// Runs the compiler, and returns its complete output.
  func output(of arguments: [String]) throws -> String { try Self.result(of: arguments).text }

  /// Runs the compiler on the files of a program, and returns its complete output.
  func output(about files: [URL], flags: [String]) throws -> String {
    let (text, status) = try Self.result(
      of: ["-parse-as-library", "-wmo", "-diagnostic-style", "llvm"] + moduleFlags() + flags + files.map(\.path))
    // If the compiler fails without a message, it did not reject the program but failed itself.
    let isSilent = status != 0 && !text.contains("error: ")
    return isSilent ? "error: the compiler ended with \(status): \(text)" : text
  }

  /// The upcoming features of the compiler, each with the first language mode that includes it.
  static func upcomingFeatures() throws -> [(name: String, mode: Int)] {
    struct Answer: Decodable { let features: Features }
    struct Features: Decodable { let upcoming: [Feature] }
    struct Feature: Decodable {
      let name: String
      let enabledIn: String

      private enum CodingKeys: String, CodingKey {
        case name
        case enabledIn = "enabled_in"
      }
    }
    let text = try result(of: ["-print-supported-features"]).text
    return try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).features.upcoming.map { feature in
      (feature.name, Int(feature.enabledIn) ?? .max)
    }
  }

  private static func result(of arguments: [String]) throws -> (text: String, status: Int32) {
    try Command.run(["swiftc"] + arguments)
  }

  /// The flags for the header of libpq, on systems where it is not on the default search path.
  private static let libpqFlags = Result { () throws -> [String] in
    let (text, status) = try Command.run(["pkg-config", "--cflags", "libpq"])
    return status == 0 ? text.split(whereSeparator: \.isWhitespace).flatMap { ["-Xcc", String($0)] } : []
  }

  /// The flags for the C modules that the modules of the library import.
  private func cModuleFlags() throws -> [String] {
    let folders = try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
    return try Self.libpqFlags.get()
      + folders.flatMap { folder in
        let generated = products.appending(path: "\(folder.lastPathComponent).build/module.modulemap")
        let own = folder.appending(path: "module.modulemap")
        return [generated, own].filter { FileManager.default.fileExists(atPath: $0.path) }.flatMap {
          ["-Xcc", "-fmodule-map-file=\($0.path)", "-I", folder.appending(path: "include").path]
        }
      }
  }
}
