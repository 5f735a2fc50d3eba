import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Models that belong to an actor")
struct IsolationTests {
  @Test("A property needs a written type if generated code repeats the type; the fix-it infers it")
  func typeIsMissing() {
    let message =
      "stored property 'kind' of a model that belongs to an actor needs a written type: generated code repeats it"
    expectDiagnostics(
      [
        DiagnosticSpec(message: message, line: 4, column: 7, fixIts: [FixItSpec(message: "add ': Kind'")]),
        DiagnosticSpec(
          message: message.replacingOccurrences(of: "kind", with: "made"), line: 5, column: 7,
          fixIts: [FixItSpec(message: "add ': Date'")]),
        DiagnosticSpec(message: message.replacingOccurrences(of: "kind", with: "other"), line: 6, column: 7),
      ],
      of: """
        @Model
        actor Trip {
          var days = 1, text: String
          var kind = Kind.open
          var made = Date()
          var other = makeOther()
        }
        """.replacingOccurrences(of: "var days = 1, text: String", with: "var days = -1"),
      fixed: """
        @Model
        actor Trip {
          var days = -1
          var kind: Kind = Kind.open
          var made: Date = Date()
          var other = makeOther()
        }
        """)
  }

  @Test("A nonisolated class may have inferred types")
  func inferredTypes() {
    expectDiagnostics([], of: "@Model final class Trip { var kind = Kind.open; init() {} }")
  }

  @Test("A stored property cannot be nonisolated; the fix-it removes the modifier")
  func nonisolatedProperty() {
    func message(_ name: String) -> String {
      "stored property '\(name)' of a model that belongs to an actor cannot be 'nonisolated': other threads could change it during a save"
    }
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: message("name"), line: 3, column: 3, fixIts: [FixItSpec(message: "remove 'nonisolated'")]),
        DiagnosticSpec(
          message: message("days"), line: 4, column: 10, fixIts: [FixItSpec(message: "remove 'nonisolated'")]),
      ],
      of: """
        @Model
        @MainActor final class Trip {
          nonisolated(unsafe) var name: String
          public nonisolated var days: Int
          nonisolated let code: Int
          init() {}
        }
        """,
      fixed: """
        @Model
        @MainActor final class Trip {
          var name: String
          public var days: Int
          nonisolated let code: Int
          init() {}
        }
        """)
  }

  @Test("A synchronous initialiser of an actor has to assign the nonisolated twins; the fix-it changes it")
  func synchronousInitializer() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message:
            "a synchronous initializer runs outside of the actor: assign '_name', or make the initializer 'async'",
          line: 6, column: 10, fixIts: [FixItSpec(message: "replace with '_name'")])
      ],
      of: """
        @Model
        actor Trip {
          var name: String
          let code: Int
          init(name: String) {
            self.name = name
            self.code = 1
          }
          init(later name: String) async {
            self.name = name
          }
        }
        """,
      fixed: """
        @Model
        actor Trip {
          var name: String
          let code: Int
          init(name: String) {
            self._name = name
            self.code = 1
          }
          init(later name: String) async {
            self.name = name
          }
        }
        """)
  }

  @Test("A model of an actor cannot inherit from another model")
  func subclass() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "model 'Sub' belongs to an actor and cannot inherit from another model; relate the two instead",
          line: 1, column: 35)
      ],
      of: """
        @Submodel @StoreActor final class Sub: Base {
          init() { super.init() }
        }
        """)
  }

  @Test("A model of an actor cannot be generic or a model actor, and its properties cannot belong to another actor")
  func impossible() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "model 'Trip' belongs to an actor and cannot be generic: its key paths are kept once for the type",
          line: 1, column: 18)
      ], of: "@Model actor Trip<T> { var name: String }")
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: """
            model 'Trip' cannot be a '@ModelActor': it runs on the executor of its context, which belongs to another \
            actor
            """,
          line: 1, column: 8)
      ], of: "@Model @ModelActor actor Trip { var name: String }")
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "stored property 'days' of a model that belongs to an actor cannot belong to another one", line: 3,
          column: 3)
      ],
      of: """
        @Model actor Trip {
          var name: String
          @MainActor var days: Int = 0
        }
        """)
  }

  @Test("A generated member is omitted if the model declares it", arguments: ["hasChanges", "isDeleted"])
  func ownNames(name: String) {
    let given = "var \(name): Swift.Bool"
    #expect(expand("@Model actor Trip { var days: Int }").contains(given))
    #expect(!expand("@Model actor Trip { var \(name): Bool }").contains(given))
  }

  @Test(
    "A class is isolated if its attribute or the macro names an actor",
    arguments: ["@MainActor", "@App.StoreActor"])
  func detection(attribute: String) {
    #expect(expand("@Model \(attribute) final class Trip { init() {} }").contains("_$Fields"))
    #expect(!expand("@Model @ModelActor @Actor() final class Trip { init() {} }").contains("_$Fields"))
    #expect(expand("@Model(isolatedTo: Storage.self) @Storage class Trip { init() {} }").contains("_$Fields"))
  }

  @Test("A property whose type is private in the model has no field")
  func privateType() {
    let expanded = expand(
      """
      @Model actor Trip {
        private enum Mood: String, Codable { case calm }
        var name: String
        private var mood: Mood = Mood.calm
        private var moods: [Mood]?
        private var secret: Secret
      }
      """)
    #expect(expanded.contains("\\_$Fields.name: \\Trip._name,\n    \\_$Fields.secret: \\Trip._secret\n"))
    #expect(expanded.contains("fileprivate var secret: Secret {"))
    #expect(!expanded.contains("fileprivate var mood"))
  }

  @Test(
    "The initialiser of an actor is no more accessible than the properties of its parameters",
    arguments: [
      ("public var owner: Owner", "public init(name: String, owner: Owner)"),
      ("package var owner: Owner", "package init(name: String, owner: Owner)"),
      ("var owner: Owner", "\n  init(name: String, owner: Owner)"),
      ("internal var owner: Owner?", "\n  init(name: String, owner: Owner? = nil)"),
      ("public private(set) var days: Days = 1", "public init(name: String, days: Days = 1)"),
      ("var days: Int = 1", "public init(name: String, days: Int = 1)"),
      ("private var days = 1", "public init(name: String, days: Swift.Int = 1)"),
      ("private var days: Days = 1", "public init(name: String)"),
      ("fileprivate var days: [Days]?", "public init(name: String)"),
      ("private let days: Days", "private init(name: String, days: Days)"),
      ("fileprivate let days: Days", "fileprivate init(name: String, days: Days)"),
    ])
  func memberwiseAccess(member: String, initializer: String) {
    let expanded = expand("@Model public actor Trip {\n  public var name: String\n  \(member)\n}")
      .replacing("@inline(never) ", with: "")
    #expect(expanded.contains(initializer))
  }
}
