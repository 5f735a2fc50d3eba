import ConformanceSupport
import Foundation
import Testing

/// An initialiser may insert its object into a context, which retains the object. The compiler does not see this in the
/// initialiser's code. It must nevertheless not allocate the object on the stack, even if the caller does not use the
/// object.
@Suite("Optimised initialisers")
struct OptimizedInitializerTests {
  @Test("an initialiser allocates its object on the heap, because a context may retain the object")
  func heap() throws {
    let folder = try TestStore.makeFolder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "Guests.swift")
    try Self.program.write(to: file, atomically: true, encoding: .utf8)
    let objects = try Compiler.current().optimized(file).split(separator: "\n").filter { $0.contains("= alloc_ref ") }
    for name in ["Guest", "ConstantGuest", "NamedGuest", "Visitor", "MainGuest"] {
      let own = objects.filter { $0.contains("$\(name) ") }
      #expect(!own.isEmpty, "\(name) is made somewhere")
      #expect(!own.contains { $0.contains("[stack]") }, "\(name)")
    }
  }

  private static let program = """
    import SwiftData

    @Model final class Home {
      var guests: [Guest] = []
      init() {}
    }

    @Model final class Guest {
      var name: String
      var home: Home
      init(_ name: String, _ home: Home) { self.home = home; self.name = name }
    }

    @Model final class ConstantGuest {
      let code: Int
      var home: Home
      init(_ code: Int, _ home: Home) { self.code = code; self.home = home }
      convenience init(_ home: Home) { self.init(1, home) }
    }

    protocol Named {}

    @Model class NamedGuest: Named {
      var home: Home
      init(_ home: Home) { self.home = home }
    }

    @Model final class Visitor: NamedGuest {
      var until: Int
      init(until: Int, _ home: Home) { self.until = until; super.init(home) }
    }

    @Model @MainActor final class MainGuest {
      var name: String
      var home: Home
      init(_ name: String, _ home: Home) { self.home = home; self.name = name }
    }

    @MainActor @inline(never) func make(_ home: Home) {
      _ = Guest("a", home)
      _ = ConstantGuest(home)
      _ = ConstantGuest(2, home)
      _ = NamedGuest(home)
      _ = Visitor(until: 2, home)
      _ = MainGuest("b", home)
    }

    @main enum Program {
      @MainActor static func main() { make(Home()) }
    }
    """
}
