import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Declarations of stored properties that @Model rejects")
struct PropertyDeclarationTests {
  private func model(_ member: String) -> String {
    """
    @Model final class Trip {
      \(member)
      init() {}
    }
    """
  }

  @Test(
    "A stored property cannot have the name of a member of every model",
    arguments: [
      "hashValue", "modelContext", "persistentModelID", "persistentBackingData", "schemaMetadata", "`self`", "`Type`",
    ])
  func unstorableName(name: String) {
    let plain = name.filter { $0 != "`" }
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: """
            a stored property cannot be named '\(plain)': every model has a member of that name; rename it, or mark \
            it @Transient
            """,
          line: 2, column: 7)
      ],
      of: model("var \(name): Int = 0"))
  }

  @Test(
    "A stored property cannot have a name reserved for generated code", arguments: ["_$state", "_$trip", "_osd_key"])
  func reservedName(name: String) {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "a stored property cannot be named '\(name)': names that begin with '_$' or '_osd_' are reserved",
          line: 2, column: 7)
      ],
      of: model("var \(name): Int = 0"))
  }

  @Test(
    "Other names are allowed, and a property that is not stored may have any name",
    arguments: [
      "@Transient var modelContext: Int = 0", "var modelContext: Int { 0 }", "static var schemaMetadata = 0",
      "var description: String = \"\"", "var hash: Int = 0", "var isDeleted = false", "var hasChanges = false",
      "var id = 0",
    ])
  func freeName(member: String) {
    expectDiagnostics([], of: model(member))
  }

  @Test(
    "Several stored properties in one declaration are an error",
    arguments: [
      "var name: String, days: Int", "var days = 1, total = 2", "let a: Int, b: Int", "var a = 1, b: Int { 2 }",
    ])
  func severalBindings(member: String) {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "declare each stored property of a model in a declaration of its own", line: 2, column: 3)
      ],
      of: model(member))
  }

  @Test("Properties that are declared by a tuple pattern are an error")
  func tuplePattern() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "a stored property of a model cannot be declared by a tuple pattern", line: 2, column: 7)
      ],
      of: model("var (name, days) = (\"\", 0)"))
  }

  @Test(
    "A declaration of several computed properties is allowed",
    arguments: ["static var a = 1, b = 2", "static let (a, b) = (1, 2)", "var a: Int { 1 }, b: Int { 2 }"])
  func unstored(member: String) {
    expectDiagnostics([], of: model(member))
  }

  @Test("A relationship cannot be a constant; the fix-it makes it a variable")
  func constantRelationship() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "relationship 'stops' must be a 'var': both of its ends change together", line: 2, column: 39,
          fixIts: [FixItSpec(message: "replace with 'var'")])
      ],
      of: model("@Relationship(deleteRule: .cascade) let stops: [Stop]"),
      fixed: model("@Relationship(deleteRule: .cascade) var stops: [Stop]"))
  }

  @Test("Code that is generated for a raw identifier uses raw identifiers")
  func rawIdentifier() {
    let expanded = expand(model("var `first \"name\"`: String = \"\""))
    #expect(expanded.contains(#"(name: "first \"name\"", keypath: \Trip.`first "name"`,"#))
    #expect(expanded.contains(#"row.write(`_first "name"`, 0)"#))
    let accessors = expand(
      """
      actor Trip {
        @_IsolatedPersistedProperty(0) var `first name`: String {
          didSet {}
        }
      }
      """)
    #expect(accessors.contains("private var `_$slot_first name`: _PersistenceRuntime.Slot<String>"))
    #expect(accessors.contains("nonisolated var `_first name`: String {"))
    #expect(accessors.contains("private var `_$observing_first name` = false"))
  }

  @Test(
    "A property in #if is not stored, and a note says so unless it is transient",
    arguments: ["var trace = 1", "var trace: [String]?", "private(set) var trace: Int = 1 { didSet {} }"])
  func conditionalProperty(declaration: String) {
    func source(_ declaration: String) -> String { model("#if DEBUG\n  \(declaration)\n  #endif") }
    let column = 3 + (declaration.hasPrefix("private") ? 17 : 4)
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: """
            property 'trace' is in '#if' and is not stored, since '@Model' does not know the conditions; move it out, \
            or mark it @Transient
            """,
          line: 3, column: column, severity: .note)
      ],
      of: source(declaration))
    expectDiagnostics([], of: source("@Transient \(declaration)"))
  }

  @Test("A #Unique or #Index in #if is not applied, and a note says so", arguments: ["Index", "Unique"])
  func conditionalRule(kind: String) {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "#\(kind) is in '#if' and is not applied, since '@Model' does not know the conditions; move it out",
          line: 6, column: 3, severity: .note)
      ],
      of: """
        @Model final class Trip {
          var name = ""
          #if os(Linux)
          #if DEBUG
          #else
          #\(kind)<Trip>([\\.name])
          #endif
          #endif
          init() {}
        }
        """)
  }

  @Test(
    "Members that store nothing may be in #if",
    arguments: [
      "var trace: Int { 1 }", "static var trace = 1", "func trace() {}", "lazy var trace = 1", "init(a: Int) {}",
    ])
  func conditionalMembers(declaration: String) {
    expectDiagnostics([], of: model("#if DEBUG\n  \(declaration)\n  #endif"))
  }

  @Test(
    "A constant with a variable initial value is computed for each instance, with a warning; the fix-it stores it",
    arguments: ["id = UUID()", "id: Date = .now", "id = \"\\(count)\"", "id: [Kind] = [Kind.open]"])
  func computedConstant(binding: String) {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: """
            constant 'id' has an initial value and is not stored: every instance computes it anew, also one that is \
            fetched; replace 'let' with 'var', or mark it @Transient
            """,
          line: 2, column: 11, severity: .warning, fixIts: [FixItSpec(message: "replace with 'var'")])
      ],
      of: model("private let \(binding)"),
      fixed: model("private var \(binding)"))
  }

  @Test(
    "A constant with a literal value, or a transient constant, need not be stored",
    arguments: [
      "let kind = \"trip\"", "let count: Int? = nil", "let limits = [1: -2.5]", "@Transient let id = UUID()",
      "static let id = UUID()", "let id: UUID",
    ])
  func constant(declaration: String) {
    expectDiagnostics([], of: model(declaration))
  }
}
