import Foundation
import Testing

/// A folder of `Modules`, whose programs share some models and are compiled at once: that takes as long as compiling one.
///
/// The compiler stops at a module with type errors. So programs that only later passes refuse, which follow values from
/// task to task, have a folder of their own.
enum RefusedModule: String, CaseIterable, CustomTestStringConvertible {
  /// What is refused for its types.
  case types = "Types"
  /// What is refused for where its values go.
  case flow = "Flow"
  /// What is refused in a module that is on the main actor unless it says otherwise.
  case mainActor = "MainActorModule"

  var testDescription: String { rawValue }

  var programs: [Program] {
    get throws { try Program.all(in: "Modules/\(rawValue)") }
  }

  /// What the compiler says of each program.
  func messages() throws -> [String: [String]] {
    let flags = self == .mainActor ? ["-default-isolation", "MainActor"] : []
    let messages = try Compiler.current().messages(about: programs.map(\.file), flags: flags)
    return Dictionary(grouping: messages) { message in
      let path = message.prefix { $0 != ":" }
      return URL(filePath: String(path)).deletingPathExtension().lastPathComponent
    }
  }
}
