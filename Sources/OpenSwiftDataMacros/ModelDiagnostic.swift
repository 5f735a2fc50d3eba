import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// Everything that the macros may say, in one table.
enum ModelDiagnostic: DiagnosticMessage {
  case notAClass(kind: String, name: String)
  case actorModel(name: String)
  case noInitializer(name: String)
  case transientWithoutDefault
  case unstorableName(name: String)
  case reservedName(name: String)
  case secondUnique(name: String)
  case severalBindings
  case tuplePattern
  case relationshipOnLet(name: String)
  case modelActorOnOther(kind: String, name: String)

  var message: String {
    switch self {
    case .notAClass(let kind, let name):
      "'@Model' cannot be applied to \(kind) type '\(name)'; a model has identity, so it must be a class"
    case .actorModel(let name):
      "'@Model' cannot be applied to actor type '\(name)'; declare a class, and reach it through a model actor"
    case .noInitializer(let name):
      "@Model requires an initializer be provided for '\(name)'"
    case .transientWithoutDefault:
      "a @Transient property is not stored, so it must have a default value or be an optional variable"
    case .unstorableName(let name):
      "a stored property cannot be named '\(name)': the name belongs to what every model has; rename it, or mark it @Transient"
    case .reservedName(let name):
      "a stored property cannot be named '\(name)': names that begin with '_$' or '_osd_' are reserved"
    case .secondUnique(let name):
      "'\(name)' has two #Unique; list every constraint as an array in one #Unique"
    case .severalBindings:
      "declare each stored property of a model in a declaration of its own"
    case .tuplePattern:
      "a stored property of a model cannot be declared by a tuple pattern"
    case .relationshipOnLet(let name):
      "relationship '\(name)' must be a 'var': both of its ends change together"
    case .modelActorOnOther(let kind, let name):
      "'@ModelActor' cannot be applied to \(kind) type '\(name)'; only an actor has an executor"
    }
  }

  var severity: DiagnosticSeverity { .error }

  var diagnosticID: MessageID {
    MessageID(domain: "OpenSwiftData", id: String(describing: self).prefix { $0 != "(" }.description)
  }

  /// Whether a transient property leaves an instance that is read from the store without a value for it.
  static func transientNeedsDefault(_ binding: PatternBindingSyntax, in variable: VariableDeclSyntax) -> Bool {
    guard binding.initializer == nil, !variable.isTypeMember, !variable.isLazy else { return false }
    guard !binding.isComputed, let type = binding.typeAnnotation?.type else { return false }
    return variable.isLet || !type.isOptional
  }
}

/// The changes that a diagnostic offers.
enum ModelFixIt: FixItMessage {
  case makeClass
  case addInitializer
  case addDefault
  case makeVariable
  case mergeUnique

  var message: String {
    switch self {
    case .makeClass: "replace with 'class'"
    case .addInitializer: "add an initializer"
    case .addDefault: "make it optional"
    case .makeVariable: "replace with 'var'"
    case .mergeUnique: "move its constraints to the first #Unique"
    }
  }

  var fixItID: MessageID { MessageID(domain: "OpenSwiftData", id: "\(self)") }
}

extension MacroExpansionContext {
  func diagnose(_ message: ModelDiagnostic, at node: some SyntaxProtocol, fixIt: FixIt? = nil) {
    diagnose(Diagnostic(node: node, message: message, fixIts: fixIt.map { [$0] } ?? []))
  }
}
