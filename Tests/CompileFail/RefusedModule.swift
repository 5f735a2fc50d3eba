import Foundation
import Testing

/// A folder of `Modules`, whose programs share models and are compiled together, which takes as long as compiling one
/// program.
///
/// The compiler stops at a module with type errors. Programs that only the later data-flow passes reject therefore have
/// their own folder.
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
