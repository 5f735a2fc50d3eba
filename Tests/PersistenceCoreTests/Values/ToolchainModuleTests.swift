import Foundation
import Testing

@testable import PersistenceRuntime
@testable import PersistenceSupport

@Suite("Modules whose structs are never stored by their fields")
struct ToolchainModuleTests {
  private struct Size: Codable {
    var width: Int
  }

  @Test("the list includes every module of the library")
  func complete() throws {
    let sources = URL(filePath: #filePath).appending(path: "../../../../Sources").standardizedFileURL
    let modules = try FileManager.default.contentsOfDirectory(atPath: sources.path)
    let own = modules.filter { $0.hasPrefix("Persistence") }
    #expect(!own.isEmpty)
    for module in own { #expect(ToolchainModules.names.contains(module), "\(module)") }
  }

  @Test("a struct is recognised by the module that declares it")
  func types() {
    #expect(ToolchainModules.define(PersistentIdentifier.self) && ToolchainModules.define(Schema.Version.self))
    #expect(ToolchainModules.define(Date.self) && ToolchainModules.define(Int.self))
    #expect(!ToolchainModules.define(Size.self))
    #expect(StructFields.all(of: PersistentIdentifier.self)?.map(\.name) == nil)
    #expect(StructFields.all(of: Size.self)?.map(\.name) == ["width"])
  }
}
