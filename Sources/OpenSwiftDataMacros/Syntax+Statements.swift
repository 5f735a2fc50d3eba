import SwiftSyntax

extension Syntax {
  /// The left side of a statement that is an assignment, which is made whenever the statement is reached.
  var plainAssignment: ExprSyntax? {
    if let attempt = self.as(TryExprSyntax.self) {
      return attempt.questionOrExclamationMark == nil ? Syntax(attempt.expression).plainAssignment : nil
    }
    if let wait = self.as(AwaitExprSyntax.self) { return Syntax(wait.expression).plainAssignment }
    if let unsafe = self.as(UnsafeExprSyntax.self) { return Syntax(unsafe.expression).plainAssignment }
    guard let sequence = self.as(SequenceExprSyntax.self) else { return nil }
    let elements = Array(sequence.elements.prefix(2))
    return elements.count == 2 && elements[1].is(AssignmentExprSyntax.self) ? elements[0] : nil
  }

  /// The variables that a statement declares for those that follow it.
  var declaredNames: Set<String> {
    if let variable = self.as(VariableDeclSyntax.self) {
      return variable.bindings.reduce(into: []) { $0.formUnion(Syntax($1.pattern).identifiers) }
    }
    return self.as(GuardStmtSyntax.self)?.conditions.patternNames ?? []
  }

  /// Whether what follows a statement is never reached.
  var leavesScope: Bool {
    if self.is(ReturnStmtSyntax.self) || self.is(ThrowStmtSyntax.self) { return true }
    let called = self.as(FunctionCallExprSyntax.self)?.calledExpression.trimmedDescription
    return called == "fatalError" || called == "preconditionFailure"
  }

  /// The names that a pattern binds.
  fileprivate var identifiers: Set<String> {
    if let pattern = self.as(IdentifierPatternSyntax.self) { return [pattern.identifier.name] }
    return children(viewMode: .sourceAccurate).reduce(into: []) { $0.formUnion($1.identifiers) }
  }
}

extension ConditionElementListSyntax {
  /// The variables that conditions bind.
  var patternNames: Set<String> {
    reduce(into: []) { names, element in
      switch element.condition {
      case .optionalBinding(let binding): names.formUnion(Syntax(binding.pattern).identifiers)
      case .matchingPattern(let match): names.formUnion(Syntax(match.pattern).identifiers)
      default: break
      }
    }
  }
}

extension SwitchCaseSyntax {
  /// The variables that the patterns of the case bind.
  var patternNames: Set<String> {
    guard case .case(let label) = label else { return [] }
    return label.caseItems.reduce(into: []) { $0.formUnion(Syntax($1.pattern).identifiers) }
  }

  /// Whether its statements run from the first to the last.
  var isOneWay: Bool {
    if statements.count == 1, statements.first?.item.is(BreakStmtSyntax.self) ?? false { return true }
    return !statements.tokens(viewMode: .sourceAccurate).contains {
      $0.tokenKind == .keyword(.break) || $0.tokenKind == .keyword(.fallthrough)
    }
  }
}

extension CodeBlockSyntax {
  /// Whether macros of others are used, which may give properties their values unseen.
  var expandsOthers: Bool {
    let tokens = Array(tokens(viewMode: .sourceAccurate))
    return zip(tokens, tokens.dropFirst()).contains { sign, name in
      sign.tokenKind == .pound && !knownExpressions.contains(name.text)
    }
  }
}

/// Macros of expressions that change nothing.
private let knownExpressions: Set<String> = [
  "Expression", "Predicate", "column", "file", "fileID", "filePath", "function", "isolation", "keyPath", "line",
  "selector",
]
