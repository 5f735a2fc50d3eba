import SwiftSyntaxMacrosGenericTestSupport
import Testing

/// Code that `@Model` generates inserts an object as soon as an initialiser has set all properties without a default:
/// the object is then complete. These tests check for which initialisers the generated code detects this.
@Suite("Detection of the point where an initialiser has set all properties")
struct CompletionTests {
  private func isTracked(_ source: String) -> Bool {
    let expanded = expand(source)
    let isTracked = expanded.contains(", required: 0, of: ")
    // The context may retain a complete object, which the compiler does not know, so the object must be on the heap.
    #expect(expanded.contains("@inline(never)") == isTracked || source.contains("@inline"))
    return isTracked
  }

  /// The source of a class with a constant and two required properties. Its initialiser contains the given statements
  /// and may throw.
  private func model(_ statements: String, _ members: String = "") -> String {
    """
    @Model final class Trip {
      let code: String
      var name: String
      var owner: Owner
      \(members)
      init(code: String, name: String?, owner: Owner) throws {
        \(statements)
      }
    }
    """
  }

  /// The source of the same class without the constant. Its initialiser contains the given statements and cannot throw.
  private func unfailing(_ statements: String) -> String {
    model(statements).replacing("let code: String\n", with: "").replacing(" throws {", with: " {")
  }

  @Test(
    "An initialiser with a constant may throw if, after the constant, each property is set by its own plain statement",
    arguments: [
      "self.code = code; self.name = name; self.owner = owner",
      "self.owner = owner; self.code = try make(code); self.name = name",
      "guard let name else { throw Empty() }; self.code = code; self.name = name; self.owner = owner",
      "self.code = code; if code.isEmpty { throw Empty() }; self.name = name; self.owner = owner",
      "self.code = code; self.name = if let name { name } else { \"a\" }; self.owner = owner",
      "(self.code, self.owner) = (code, owner); self.name = name",
      "if code.isEmpty { throw Empty() } else { self.code = code }; self.name = name; self.owner = owner",
      "switch name { case nil: self.code = code; default: self.code = \"b\" }; self.name = name; self.owner = owner",
      "var name = name; if code.isEmpty { name = code }; self.code = code; self.name = name; self.owner = owner",
      "self.code = code; self.owner = owner; self.name = code; for _ in 0..<3 { self.name = code }",
      "self.owner = owner; if code == \"a\" { self.owner = Owner() }; self.code = code; self.name = code",
      "guard var code = name else { throw Empty() }; code = \"b\"; self.code = code; self.name = code; self.owner = owner",
    ])
  func tracked(statements: String) {
    #expect(isTracked(model(statements)))
  }

  // If an initialiser throws after one of these statements, generated code and the compiler may disagree on whether the
  // object was complete. Then the context would refer to an object that the compiler has freed.
  @Test(
    "Completion is not detected in a throwing initialiser that sets a property in a branch, a loop or another macro",
    arguments: [
      "self.owner = owner; if code.isEmpty { self.name = code }; self.name = code",
      "self.owner = owner; if let name { self.name = name } else { self.name = \"a\" }",
      "self.owner = owner; switch name { case nil: break; default: self.name = code }; self.name = code",
      "for _ in 0..<3 { self.name = code }; self.owner = owner; self.name = name",
      "self.owner = owner; do { self.name = try make() } catch { throw Empty() }",
      "self.owner = owner; try? self.name = make(); self.name = code",
      "self.owner = owner; guard name != nil else { self.name = code; return }; self.name = code",
      "do { self.name = code; self.owner = owner }",
      "self.owner = owner; #if DEBUG\nself.name = code\n#else\nself.name = name\n#endif\n",
      "outer: if code.isEmpty { self.name = code } else { self.name = code }; self.owner = owner",
      "self.owner = owner; #assign(name); self.name = code",
    ])
  func failing(statements: String) {
    let source = unfailing(statements)
    #expect(isTracked(source))
    #expect(!isTracked(source.replacing("owner: Owner) {", with: "owner: Owner) throws {")))
    #expect(!isTracked(source.replacing("init(", with: "init?(")))
    #expect(!isTracked(source.replacing("init(", with: "init!(")))
  }

  @Test(
    "Completion is not detected if no plain statement sets a property after the constant",
    arguments: [
      "self.name = name; self.owner = owner; self.code = code",
      "self.name = name; (self.owner, self.code) = (owner, code)",
      "self.name = name; if code.isEmpty { self.owner = owner; self.code = code } else { self.code = code; self.owner = owner }",
      "self.name = name; self.owner = owner; if code.isEmpty { self.code = code } else { self.code = \"a\" }; self.name = code",
      "#assign(code); self.name = name; self.owner = owner",
      "self.code = code; self.name = name; #assign(owner)",
    ])
  func untracked(statements: String) {
    #expect(!isTracked(model(statements)))
    #expect(!isTracked(model(statements).replacing(" throws {", with: " {")))
  }

  @Test(
    "An initialiser that cannot throw may set the properties after the constant in branches and loops",
    arguments: [
      "self.code = code; if let name { self.name = name } else { self.name = \"a\" }; self.owner = owner",
      "do { self.code = code; self.owner = owner }; self.name = name",
      "self.owner = owner; self.code = code; switch name { case nil: self.name = code; default: self.name = \"b\" }",
      "self.code = code; for _ in 0..<3 { self.name = code }; self.owner = owner",
    ])
  func afterConstants(statements: String) {
    #expect(isTracked(model(statements).replacing(" throws {", with: " {")))
    #expect(!isTracked(model(statements)))
  }

  // If the object were complete after the first value, the inverse of that value would refer to an object that has
  // another value now.
  @Test("An initialiser that may set a relationship twice completes an object only if every path sets all properties")
  func again() {
    #expect(
      !isTracked(unfailing("self.owner = owner; if flag { self.name = code }; self.owner = owner; self.name = code")))
    #expect(!isTracked(unfailing("for _ in 0..<3 { self.owner = owner; self.name = code }; self.name = code")))
    #expect(
      !isTracked(
        unfailing("do { self.owner = owner; if flag { self.name = code }; self.owner = owner }; self.name = code")))
    #expect(isTracked(unfailing("self.owner = owner; if flag { self.owner = Owner() }; self.name = code")))
    #expect(
      isTracked(
        unfailing("if flag { self.owner = owner; self.name = code } else { self.owner = Owner(); self.name = code }")))
  }

  @Test("Another macro on an initialiser prevents the detection only if the initialiser may fail")
  func rewritten() {
    let source = unfailing("self.name = code; self.owner = owner")
    for attribute in ["@Traced", "@MainActor", "@inlinable"] {
      #expect(isTracked(source.replacing("init(", with: "\(attribute) init(")))
    }
    let failing = source.replacing("init(", with: "init?(")
    #expect(isTracked(failing.replacing("init?(", with: "@MainActor init?(")))
    #expect(!isTracked(failing.replacing("init?(", with: "@Traced init?(")))
  }

  private static let assignments = "self.code = code; self.name = name; self.owner = owner"

  @Test(
    "Members that the initialiser need not set do not prevent the detection",
    arguments: [
      "#if DEBUG\nvar trace: [String] = []\n#endif", "@Transient var first, second: Int?", "lazy var title = name",
      "@Transient var cache = 1", "static let shared = 1", "var upper: String { name.uppercased() }",
      "convenience init() { self.init(); self.name = \"\"; self.code = \"\" }", "let kind = \"trip\"",
      "var note: String?",
      "#Index<Trip>([\\.name])", "#if DEBUG\ninit() { \(assignments) }\n#endif",
    ])
  func members(_ members: String) {
    #expect(isTracked(model(Self.assignments, members)))
  }

  @Test(
    "Every initialiser of the class is examined, including those in `#if` and those that other macros may change",
    arguments: [
      "#if DEBUG\ninit() { self.name = \"\"; self.owner = Owner(); self.code = \"\" }\n#endif", "#initializer",
      "@inline(__always) init() { \(assignments) }", "let size: Int",
    ])
  func initializers(_ members: String) {
    #expect(!isTracked(model(Self.assignments, members)))
  }

  @Test("Another macro attached to the class prevents the detection, because it may add initialisers")
  func macros() {
    let source = model(Self.assignments)
    #expect(!isTracked("@MemberwiseInit " + source))
    #expect(isTracked("@available(macOS 15, *) " + source))
  }

  @Test(
    "Another macro attached to a subclass of a model is an error, because it may add initialisers",
    arguments: ["@MemberwiseInit", "@MemberwiseInit(.open)"])
  func macrosOfSubclasses(attribute: String) {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message:
            "model 'Sub' inherits from another and cannot carry this: it may add initializers that @Model does not "
            + "see; write what it adds into the class",
          line: 1, column: 11)
      ],
      of: """
        @Submodel \(attribute) final class Sub: Base {
          init() { super.init() }
        }
        """)
  }

  @Test("In a class that is isolated to an actor, only initialisers isolated to the same actor complete an object")
  func isolation() {
    let source = model(Self.assignments)
    #expect(isTracked("@StoreActor " + source))
    #expect(!isTracked("@StoreActor " + source.replacing("init(", with: "nonisolated init(")))
    #expect(!isTracked("@StoreActor " + source.replacing("init(", with: "@OtherActor init(")))
    #expect(!isTracked("@StoreActor " + source.replacing("init(", with: "init(actor: isolated Other, ")))
  }

  @Test(
    "Completion is not detected in a generic class", arguments: ["<T>", "<each T>"])
  func generics(parameters: String) {
    let source = model(Self.assignments)
    #expect(!isTracked(source.replacing("class Trip", with: "class Trip\(parameters)")))
    #expect(!isTracked("struct Tour\(parameters) {\n\(source)\n}"))
  }

  // In an extension, the macro cannot see whether the extended type is generic, and a type nested in a generic type may
  // not have static stored properties.
  @Test("Code generated for a class in an extension declares no static stored property")
  func extensions() {
    let source = model(Self.assignments)
    #expect(expand(source).contains("static let _$stateOffset ="))
    let expanded = expand("extension Tour {\n\(source)\n}")
    #expect(expanded.contains("static var _$stateOffset: Swift.Int {"))
    #expect(!expanded.contains("static let"))
    #expect(isTracked("extension Tour {\n\(source)\n}"))
  }

  @Test("Completion is not detected in a class without relationships, which needs no detection")
  func withoutRelationships() {
    #expect(!isTracked("@Model class Trip { var name: String; init(name: String) { self.name = name } }"))
  }

  @Test("Each property has an index; a class with more than twenty properties uses an additional integer")
  func places() {
    let names = (0..<25).map { "value\($0)" }
    let source = """
      @Model final class Wide {
        \(names.map { "var \($0): Int" }.joined(separator: "\n  "))
        var owner: Owner?
        init(_ value: Int) { \(names.map { "self.\($0) = value" }.joined(separator: "; ")) }
      }
      """
    let expanded = expand(source)
    #expect(expanded.contains("(24, required: 24, of: 25)"))
    #expect(expanded.contains("private var _$required = Swift.UInt64(0)"))
    #expect(!expand(model(Self.assignments)).contains("_$required"))
  }
}
