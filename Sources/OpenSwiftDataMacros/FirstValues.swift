import SwiftSyntax

// An object may be passed to a context only if its initialiser cannot fail afterwards: a failing initialiser
// deallocates an object that the compiler considers incomplete. Generated code counts initialised properties at run
// time, whereas the compiler analyses the source. The results differ after `if … { name = "a" }` (decision 31).

extension InitializerDeclSyntax {
  /// Whether the initialiser may fail or throw.
  var canFail: Bool { optionalMark != nil || signature.effectSpecifiers?.throwsClause != nil }

  /// Whether any of the properties may be assigned twice.
  func setsAgain(_ properties: Set<String>) -> Bool {
    guard let body else { return false }
    let search = RepetitionSearch(properties)
    search.walk(body)
    return search.isFound
  }

  /// Whether an object is complete exactly when generated code has seen the values of all required properties.
  ///
  /// Generated code does not see assignments of constants, so some required property must follow all constants.
  ///
  /// - Parameter mustBeCertain: Whether the compiler must detect completion at the same point. The first assignment of
  ///   each property must then be a top-level statement. Branches, loops and macros are not analysed.
  func tellsCompletion(of required: Set<String>, constants: Set<String>, mustBeCertain: Bool) -> Bool {
    guard let body, !body.expandsOthers else { return false }
    var (given, early): (Set<String>, Set<String>) = ([], [])
    var locals = Set(signature.parameterClause.parameters.map { ($0.secondName ?? $0.firstName).name })
    for statement in body.statements.map({ Syntax($0.item) }) {
      let targets = AssignmentTargets(statement, locals: locals).names
      let first = targets.intersection(required).subtracting(given)
      if mustBeCertain, !first.isEmpty, !statement.assigns(first, locals: locals) { return false }
      given.formUnion(targets)
      if !targets.isDisjoint(with: constants) { early = given }
      locals.formUnion(statement.declaredNames)
    }
    let isUnderstood = given.isSuperset(of: required.union(constants)) || given.isDisjoint(with: required)
    return isUnderstood && (constants.isEmpty || !required.isSubset(of: early))
  }
}

/// Finds two statements of one block that assign the same property, and loops that assign a property.
private final class RepetitionSearch: SyntaxVisitor {
  private let properties: Set<String>
  private(set) var isFound = false

  init(_ properties: Set<String>) {
    self.properties = properties
    super.init(viewMode: .sourceAccurate)
  }

  private func targets(in code: Syntax) -> Set<String> {
    AssignmentTargets(code, locals: []).names.intersection(properties)
  }

  override func visit(_ node: CodeBlockItemListSyntax) -> SyntaxVisitorContinueKind {
    var known: Set<String> = []
    for statement in node {
      let assigned = targets(in: Syntax(statement.item))
      if !assigned.isDisjoint(with: known) { isFound = true }
      known.formUnion(assigned)
    }
    return .visitChildren
  }

  override func visit(_ node: ForStmtSyntax) -> SyntaxVisitorContinueKind { visit(loop: node.body) }

  override func visit(_ node: WhileStmtSyntax) -> SyntaxVisitorContinueKind { visit(loop: node.body) }

  override func visit(_ node: RepeatStmtSyntax) -> SyntaxVisitorContinueKind { visit(loop: node.body) }

  private func visit(loop body: CodeBlockSyntax) -> SyntaxVisitorContinueKind {
    if !targets(in: Syntax(body)).isEmpty { isFound = true }
    return .visitChildren
  }
}

extension Syntax {
  /// Whether the statement assigns all of these properties.
  fileprivate func assigns(_ targets: Set<String>, locals: Set<String>) -> Bool {
    guard let assignment = plainAssignment else { return false }
    return targets.isSubset(of: AssignmentTargets(of: assignment, locals: locals).names)
  }

  /// The left side of a statement that is an unconditional assignment.
  private var plainAssignment: ExprSyntax? {
    guard let expression = self.as(ExprSyntax.self), !expression.isAttempt else { return nil }
    if let marked = expression.markedExpression { return Syntax(marked).plainAssignment }
    guard let sequence = expression.as(SequenceExprSyntax.self) else { return nil }
    let elements = Array(sequence.elements.prefix(2))
    guard elements.count == 2, elements[1].is(AssignmentExprSyntax.self) else { return nil }
    // If operators are not folded yet, a `try?` before an assignment covers only the left side.
    return elements[0].isAttempt ? nil : elements[0]
  }

  /// The variables that a statement declares for the statements after it.
  fileprivate var declaredNames: Set<String> {
    if let variable = self.as(VariableDeclSyntax.self) {
      return variable.bindings.reduce(into: []) { $0.formUnion(Syntax($1.pattern).identifiers) }
    }
    return (self.as(GuardStmtSyntax.self)?.conditions ?? []).reduce(into: []) { names, element in
      switch element.condition {
      case .optionalBinding(let binding): names.formUnion(Syntax(binding.pattern).identifiers)
      case .matchingPattern(let match): names.formUnion(Syntax(match.pattern).identifiers)
      default: break
      }
    }
  }

  /// The names that a pattern binds.
  private var identifiers: Set<String> {
    if let pattern = self.as(IdentifierPatternSyntax.self) { return [pattern.identifier.name] }
    return children(viewMode: .sourceAccurate).reduce(into: []) { $0.formUnion($1.identifiers) }
  }
}

extension ExprSyntax {
  /// Whether the expression begins with `try?` or `try!`.
  fileprivate var isAttempt: Bool {
    if self.as(TryExprSyntax.self)?.questionOrExclamationMark != nil { return true }
    return markedExpression?.isAttempt ?? false
  }
}

extension CodeBlockSyntax {
  /// Whether the code uses other macros, whose expansions may assign properties.
  fileprivate var expandsOthers: Bool {
    let tokens = Array(tokens(viewMode: .sourceAccurate))
    return zip(tokens, tokens.dropFirst()).contains { sign, name in
      sign.tokenKind == .pound && !knownExpressions.contains(name.text)
    }
  }
}

/// Expression macros that assign nothing.
private let knownExpressions: Set<String> = [
  "Expression", "Predicate", "column", "file", "fileID", "filePath", "function", "isolation", "keyPath", "line",
  "selector",
]
