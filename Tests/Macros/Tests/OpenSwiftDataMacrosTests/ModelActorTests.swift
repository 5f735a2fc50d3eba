import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("@ModelActor")
struct ModelActorTests {
  @Test("An actor gets an executor, a container and an initialiser") func plain() {
    expectExpansion(
      of: """
        @ModelActor actor Store {
        }
        """,
      is: """
        actor Store {

          nonisolated let modelExecutor: any PersistenceCore.ModelExecutor

          nonisolated let modelContainer: PersistenceCore.ModelContainer

          init(modelContainer: PersistenceCore.ModelContainer) {
            let modelContext = PersistenceCore.ModelContext(modelContainer)
            self.modelExecutor = PersistenceCore.DefaultSerialModelExecutor(modelContext: modelContext)
            self.modelContainer = modelContainer
          }
        }

        extension Store: PersistenceCore.ModelActor {}
        """)
  }

  @Test("Generated members have the access level of the actor", arguments: ["public", "package"])
  func access(_ access: String) {
    let expanded = expand("@ModelActor \(access) actor Store {}")
    #expect(expanded.contains("\(access) nonisolated let modelExecutor"))
    #expect(expanded.contains("\(access) nonisolated let modelContainer"))
    #expect(expanded.contains("\(access) init(modelContainer"))
  }

  @Test("A global actor gets a context that code isolated to it can use") func global() {
    let expanded = expand(
      """
      @ModelActor @globalActor public actor Store {
        public static let shared = Store(modelContainer: .app)
      }
      """)
    #expect(expanded.contains("@Store public static var modelContext: PersistenceCore.ModelContext"))
    #expect(!expand("@ModelActor actor Store {}").contains("static var modelContext"))
  }

  @Test("Members that the actor declares are not generated") func ownMembers() {
    let ownInitializer = expand(
      """
      @ModelActor actor Store {
        init(modelContainer: ModelContainer) { fatalError() }
      }
      """)
    #expect(!ownInitializer.contains("PersistenceCore.ModelContext("))
    #expect(ownInitializer.contains("nonisolated let modelExecutor"))
    let otherInitializer = expand(
      """
      @ModelActor actor Store {
        init(modelContainer: ModelContainer, name: String) { fatalError() }
      }
      """)
    #expect(otherInitializer.contains("PersistenceCore.ModelContext("))
    let ownExecutor = expand(
      """
      @ModelActor actor Store {
        nonisolated let modelExecutor: any ModelExecutor
      }
      """)
    #expect(!ownExecutor.contains("PersistenceCore.ModelExecutor"))
    #expect(ownExecutor.contains("nonisolated let modelContainer"))
    #expect(!ownExecutor.contains("PersistenceCore.ModelContext("))
  }

  @Test("The conformance has the same availability as the actor") func availability() {
    let expanded = expand("@available(macOS 26, *) @ModelActor actor Store {}")
    #expect(expanded.contains("@available(macOS 26, *)\nextension Store: PersistenceCore.ModelActor"))
  }

  @Test("A type that is not an actor is an error", arguments: ["class", "struct", "enum", "protocol"])
  func others(_ kind: String) {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "'@ModelActor' cannot be applied to \(kind) type 'Store'; only an actor has an executor", line: 1,
          column: 1)
      ],
      of: "@ModelActor \(kind) Store {}")
  }
}
