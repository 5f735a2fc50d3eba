import SwiftSyntax

// An initialiser may relate the new object to an object in a context. Generated code then inserts the new object into
// the context as soon as all its properties have values. The compiler may not know that the object is complete, for
// example after `if … { name = "a" }`. If the initialiser then fails, it frees the object, although the context uses it
// (decision 31). This file finds such initialisers.

extension InitializerDeclSyntax {
  var canFail: Bool { optionalMark != nil || signature.effectSpecifiers?.throwsClause != nil }

  /// Returns true if the initialiser may assign one of the properties twice.
  func setsAgain(_ properties: Set<String>) -> Bool {
    guard let body else { return false }
    let search = RepetitionSearch(properties)
    search.walk(body)
    return search.isFound
  }

  /// Returns true if the object is complete as soon as the last of the required properties has been assigned.
  ///
  /// Generated code does not see assignments of constants. So at least one required property must be assigned after the
  /// last constant.
  ///
  /// - Parameter mustBeCertain: Whether the compiler must consider the object complete at the same statement as
  ///   generated code. If so, no first assignment of a required property may be in a branch, a loop or a macro.
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

/// Sets ``isFound`` if two statements of one block assign the same property, or if a loop assigns a property.
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
  /// Returns true if the statement is an unconditional assignment of all of these properties.
  fileprivate func assigns(_ targets: Set<String>, locals: Set<String>) -> Bool {
    guard let assignment = plainAssignment else { return false }
    return targets.isSubset(of: AssignmentTargets(of: assignment, locals: locals).names)
  }

  /// The left side of a statement that is an unconditional assignment; nil for any other statement.
  private var plainAssignment: ExprSyntax? {
    guard let expression = self.as(ExprSyntax.self), !expression.isAttempt else { return nil }
    if let marked = expression.markedExpression { return Syntax(marked).plainAssignment }
    guard let sequence = expression.as(SequenceExprSyntax.self) else { return nil }
    let elements = Array(sequence.elements.prefix(2))
    guard elements.count == 2, elements[1].is(AssignmentExprSyntax.self) else { return nil }
    // In an unfolded sequence, a `try?` in front of an assignment is part of the left side.
    return elements[0].isAttempt ? nil : elements[0]
  }

  /// The local variables that the statement declares for the statements after it, by `let`, `var` or `guard let`.
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

  /// The variables in a pattern: `a` and `b` in `(a, b)`.
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
  /// Whether the code uses a macro that is not in ``knownExpressions``. Such a macro may assign properties.
  fileprivate var expandsOthers: Bool {
    let tokens = Array(tokens(viewMode: .sourceAccurate))
    return zip(tokens, tokens.dropFirst()).contains { sign, name in
      sign.tokenKind == .pound && !knownExpressions.contains(name.text)
    }
  }
}

/// Macros that are known to assign no properties.
private let knownExpressions: Set<String> = [
  "Expression", "Predicate", "column", "file", "fileID", "filePath", "function", "isolation", "keyPath", "line",
  "selector",
]
