import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

enum ModelDiagnostic: DiagnosticMessage {
  case notAClass(kind: String, name: String)
  case modelOnExtension(name: String)
  case distributedActor(name: String)
  case noInitializer(name: String)
  case transientWithoutDefault
  case unstorableName(name: String)
  case reservedName(name: String)
  case secondUnique(name: String)
  case unstoredConstant(name: String)
  case conditionalProperty(name: String)
  case conditionalRule(macro: String)
  case severalBindings
  case tuplePattern
  case relationshipOnLet(name: String)
  case modelActorOnOther(kind: String, name: String)
  case isolatedWithoutType(name: String)
  case storedNonisolated(name: String)
  case synchronousAssignment(name: String)
  case isolatedSubclass(name: String)
  case extendedSubclass(name: String)
  case isolatedGeneric(name: String)
  case modelIsModelActor(name: String)
  case storedInOtherActor(name: String)
  case valueOfNoModel
  case valueOfSubclass(name: String)
  case unknownOmission(name: String, model: String)
  case valueWithoutType(name: String)
  case valueNameTaken(model: String)
  case valueNameHidden(name: String)

  var message: String {
    switch self {
    case .notAClass(let kind, let name):
      "'@Model' cannot be applied to \(kind) type '\(name)'; a model has identity, so it must be a class"
    case .modelOnExtension(let name):
      "'@Model' cannot be applied to an extension of '\(name)'; write it before the declaration of the class"
    case .distributedActor(let name):
      "'@Model' cannot be applied to distributed actor type '\(name)'; its properties must be in this process"
    case .noInitializer(let name):
      "@Model requires an initializer be provided for '\(name)'"
    case .transientWithoutDefault:
      "a @Transient property is not stored, so it must have a default value or be an optional variable"
    case .unstorableName(let name):
      "a stored property cannot be named '\(name)': every model has a member of that name; rename it, or mark it @Transient"
    case .reservedName(let name):
      "a stored property cannot be named '\(name)': names that begin with '_$' or '_osd_' are reserved"
    case .secondUnique(let name):
      "'\(name)' has two #Unique; list every constraint as an array in one #Unique"
    case .unstoredConstant(let name):
      "constant '\(name)' has an initial value and is not stored: every instance computes it anew, also one that is fetched; replace 'let' with 'var', or mark it @Transient"
    case .conditionalProperty(let name):
      "property '\(name)' is in '#if' and is not stored, since '@Model' does not know the conditions; move it out, or mark it @Transient"
    case .conditionalRule(let macro):
      "#\(macro) is in '#if' and is not applied, since '@Model' does not know the conditions; move it out"
    case .severalBindings:
      "declare each stored property of a model in a declaration of its own"
    case .tuplePattern:
      "a stored property of a model cannot be declared by a tuple pattern"
    case .relationshipOnLet(let name):
      "relationship '\(name)' must be a 'var': both of its ends change together"
    case .modelActorOnOther(let kind, let name):
      "'@ModelActor' cannot be applied to \(kind) type '\(name)'; only an actor has an executor"
    case .isolatedWithoutType(let name):
      "stored property '\(name)' of a model that belongs to an actor needs a written type: generated code repeats it"
    case .storedNonisolated(let name):
      "stored property '\(name)' of a model that belongs to an actor cannot be 'nonisolated': other threads could change it during a save"
    case .synchronousAssignment(let name):
      "a synchronous initializer runs outside of the actor: assign '_\(name)', or make the initializer 'async'"
    case .isolatedSubclass(let name):
      "model '\(name)' belongs to an actor and cannot inherit from another model; relate the two instead"
    case .extendedSubclass(let name):
      "model '\(name)' inherits from another and cannot carry this: it may add initializers that @Model does not see; write what it adds into the class"
    case .isolatedGeneric(let name):
      "model '\(name)' belongs to an actor and cannot be generic: its key paths are kept once for the type"
    case .modelIsModelActor(let name):
      "model '\(name)' cannot be a '@ModelActor': it runs on the executor of its context, which belongs to another actor"
    case .storedInOtherActor(let name):
      "stored property '\(name)' of a model that belongs to an actor cannot belong to another one"
    case .valueOfNoModel:
      "'@ModelValue' makes a value of a model; add '@Model'"
    case .valueOfSubclass(let name):
      "'\(name)' inherits the value of its superclass, and cannot have another one"
    case .unknownOmission(let name, let model):
      "'\(model)' has no stored property '\(name)' to leave out of its value"
    case .valueWithoutType(let name):
      "property '\(name)' needs a written type to be part of the value of the model"
    case .valueNameTaken(let model):
      "'@ModelValue' gives '\(model)' a type 'Value' and cannot be applied beside another one; rename this type"
    case .valueNameHidden(let name):
      "in '\(name)', 'Value' means the type that '@ModelValue' generates; write the module or the type that encloses the meant one"
    }
  }

  /// A constant that is not stored causes only a warning, because Apple's implementation accepts such a constant.
  ///
  /// A problem within `#if` causes only a note: the code may be for another platform and not be compiled here. In a
  /// build that treats warnings as errors, a warning would stop the build without cause.
  var severity: DiagnosticSeverity {
    switch self {
    case .unstoredConstant: .warning
    case .conditionalProperty, .conditionalRule: .note
    default: .error
    }
  }

  var diagnosticID: MessageID {
    MessageID(domain: "OpenSwiftData", id: String(describing: self).prefix { $0 != "(" }.description)
  }

  /// Returns true if a transient property would have no value in a fetched model, so that it needs a default.
  static func transientNeedsDefault(_ binding: PatternBindingSyntax, in variable: VariableDeclSyntax) -> Bool {
    guard binding.initializer == nil, !variable.isTypeMember, !variable.isLazy else { return false }
    guard !binding.isComputed, let type = binding.typeAnnotation?.type else { return false }
    return variable.isLet || !type.isOptional
  }
}

enum ModelFixIt: FixItMessage {
  case makeClass
  case addInitializer
  case addDefault
  case makeVariable
  case mergeUnique
  case removeDistributed
  case addType(String)
  case removeNonisolated
  case assignTwin(String)
  case addModel

  var message: String {
    switch self {
    case .makeClass: "replace with 'class'"
    case .addInitializer: "add an initializer"
    case .addDefault: "make it optional"
    case .makeVariable: "replace with 'var'"
    case .mergeUnique: "move its constraints to the first #Unique"
    case .removeDistributed: "remove 'distributed'"
    case .addType(let type): "add ': \(type)'"
    case .removeNonisolated: "remove 'nonisolated'"
    case .addModel: "add '@Model'"
    case .assignTwin(let name): "replace with '_\(name)'"
    }
  }

  var fixItID: MessageID { MessageID(domain: "OpenSwiftData", id: "\(self)".prefix { $0 != "(" }.description) }
}

extension MacroExpansionContext {
  func diagnose(_ message: ModelDiagnostic, at node: some SyntaxProtocol, fixIt: FixIt? = nil) {
    diagnose(Diagnostic(node: node, message: message, fixIts: fixIt.map { [$0] } ?? []))
  }
}
