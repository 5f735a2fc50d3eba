import SwiftSyntaxMacrosGenericTestSupport
import Testing

@Suite("Values of models")
struct ModelValueTests {
  @Test("@ModelValue needs @Model; the fix-it adds it")
  func noModel() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "'@ModelValue' makes a value of a model; add '@Model'", line: 1, column: 1,
          fixIts: [FixItSpec(message: "add '@Model'")])
      ],
      of: """
        @ModelValue
        final class Trip {
        }
        """,
      fixed: """
        @Model @ModelValue
        final class Trip {
        }
        """)
  }

  @Test("A class inherits the value type of its superclass")
  func subclass() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "'Sub' inherits the value of its superclass, and cannot have another one", line: 1, column: 1)
      ],
      of: "@InheritedValue @Model final class Sub: Base { init() {} }")
  }

  @Test("A property that the macro's argument omits must exist")
  func unknownOmission() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "'Trip' has no stored property 'nam' to leave out of its value", line: 1, column: 25)
      ],
      of: """
        @ModelValue(leavingOut: "nam", "days") @Model final class Trip {
          var name: String
          var days: Int
          init() {}
        }
        """)
  }

  @Test("A property needs a written type for the value type; the fix-it infers it")
  func withoutType() {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: "property 'kind' needs a written type to be part of the value of the model", line: 3, column: 7,
          fixIts: [FixItSpec(message: "add ': Kind'")])
      ],
      of: """
        @ModelValue @Model final class Trip {
          var days = 1
          var kind = Kind.open
          init() {}
        }
        """,
      fixed: """
        @ModelValue @Model final class Trip {
          var days = 1
          var kind: Kind = Kind.open
          init() {}
        }
        """)
  }

  @Test(
    "A model cannot declare a type named Value in addition to the generated one",
    arguments: ["struct Value {}", "enum Value {}", "typealias Value = Int"])
  func ownValue(declaration: String) {
    expectDiagnostics(
      [
        DiagnosticSpec(
          message: """
            '@ModelValue' gives 'Trip' a type 'Value' and cannot be applied beside another one; rename this type
            """,
          line: 2, column: declaration.hasPrefix("typealias") ? 13 : declaration.hasPrefix("enum") ? 8 : 10)
      ],
      of: """
        @ModelValue @Model final class Trip {
          \(declaration)
          var amount: Value
          init() {}
        }
        """)
  }

  @Test(
    "A property whose type is named Value must write the type's module or enclosing type",
    arguments: [("Value", 15), ("[Value]?", 16), ("Set<Value>", 19)])
  func hiddenType(type: String, column: Int) {
    let message = """
      in 'amount', 'Value' means the type that '@ModelValue' generates; write the module or the type that encloses \
      the meant one
      """
    func model(_ type: String) -> String {
      """
      @ModelValue @Model final class Trip {
        var amount: \(type)
        init() {}
      }
      """
    }
    expectDiagnostics([DiagnosticSpec(message: message, line: 2, column: column)], of: model(type))
    expectDiagnostics([], of: model(type.replacing("Value", with: "Money.Value")))
  }
}
