import Foundation
import Testing

/// A folder of `Modules`. Its programs share their models and are compiled together, so that compiling them takes only
/// as long as compiling one program.
///
/// If a module has type errors, the compiler stops before its data-flow passes. Programs that only these passes reject
/// therefore have a folder of their own.
enum RefusedModule: String, CaseIterable, CustomTestStringConvertible {
  /// Programs with type errors.
  case types = "Types"
  /// Programs in which values cross isolation boundaries.
  case flow = "Flow"
  /// Programs in a module that is isolated to the main actor by default.
  case mainActor = "MainActorModule"

  var testDescription: String { rawValue }

  var programs: [Program] {
    get throws { try Program.all(in: "Modules/\(rawValue)") }
  }

  /// The compiler's messages for each program.
  func messages() throws -> [String: [String]] {
    let flags = self == .mainActor ? ["-default-isolation", "MainActor"] : []
    let messages = try Compiler.current().messages(about: programs.map(\.file), flags: flags)
    return Dictionary(grouping: messages) { message in
      let path = message.prefix { $0 != ":" }
      return URL(filePath: String(path)).deletingPathExtension().lastPathComponent
    }
  }
}
