import SwiftSyntax

/// What an initialiser of a class gives values to, and in which order, as far as its source tells.
///
/// The compiler knows the same, and better; but a macro has to know it of constants, which no generated code hears of, and
/// has to be sure that a property which has a value at run time has one in the compiler's eyes too. Where both differ, in
/// code after `if … { name = "a" }`, the compiler takes an initialiser that fails for one that never completed its object.
struct InitializerFlow {
  /// The properties that an initialiser has to give a value, and whose accessors hear of it.
  private let tracked: Set<String>
  private let constants: Set<String>
  /// Whether each property that gets a value gets it on every way that leads on from there.
  private(set) var isDefinite = true
  /// The properties that get a value somewhere although constants lack theirs.
  private(set) var early: Set<String> = []

  init(_ initializer: InitializerDeclSyntax, tracked: Set<String>, constants: Set<String>) {
    self.tracked = tracked
    self.constants = constants
    guard let body = initializer.body else { return }
    let parameters = initializer.signature.parameterClause.parameters.map { ($0.secondName ?? $0.firstName).name }
    _ = follow(body.statements, from: Scope(locals: Set(parameters)))
    if !constants.isEmpty, body.expandsOthers { isDefinite = false }
  }

  /// What is known at a place in the initialiser.
  private struct Scope {
    /// The names that mean variables of the initialiser there.
    var locals: Set<String>
    /// The properties that certainly have a value.
    var definite: Set<String> = []
    /// Whether the code after the place is never reached.
    var isLeft = false
  }

  /// Goes through statements one by one, and gives what is known after the last.
  private mutating func follow(_ statements: CodeBlockItemListSyntax, from start: Scope) -> Scope {
    var scope = start
    for statement in statements { follow(Syntax(statement.item), in: &scope) }
    return scope
  }

  private mutating func follow(_ statement: Syntax, in scope: inout Scope) {
    let targets = AssignmentTargets(statement, locals: scope.locals).names.intersection(tracked.union(constants))
    let isNews = !targets.isSubset(of: scope.definite)
    if let expression = statement.as(ExpressionStmtSyntax.self)?.expression,
      let branch = expression.as(IfExprSyntax.self)
    {
      if isNews { followBranches(of: branch, in: &scope) }
    } else if let branch = statement.as(ExpressionStmtSyntax.self)?.expression.as(SwitchExprSyntax.self) {
      if isNews { followCases(of: branch, in: &scope) }
    } else if let block = statement.as(DoStmtSyntax.self), block.catchClauses.isEmpty {
      let locals = scope.locals
      scope = follow(block.body.statements, from: scope)
      scope.locals = locals
    } else if isNews {
      assign(targets, by: statement, in: &scope)
    }
    scope.locals.formUnion(statement.declaredNames)
    if statement.leavesScope { scope.isLeft = true }
  }

  /// Nothing but an assignment gives a property its value for certain.
  private mutating func assign(_ targets: Set<String>, by statement: Syntax, in scope: inout Scope) {
    note(targets, in: scope)
    guard let assignment = statement.plainAssignment,
      targets.subtracting(scope.definite).isSubset(of: AssignmentTargets(of: assignment, locals: scope.locals).names)
    else {
      isDefinite = false
      return
    }
    scope.definite.formUnion(targets)
  }

  private mutating func note(_ targets: Set<String>, in scope: Scope) {
    if !constants.isSubset(of: scope.definite) { early.formUnion(targets.intersection(tracked)) }
  }

  // MARK: Branches

  private mutating func followBranches(of branch: IfExprSyntax, in scope: inout Scope) {
    var ways: [Scope] = []
    var inner = scope
    inner.locals.formUnion(branch.conditions.patternNames)
    refuseAssignments(in: Syntax(branch.conditions), scope)
    ways.append(follow(branch.body.statements, from: inner))
    switch branch.elseBody {
    case .codeBlock(let block): ways.append(follow(block.statements, from: scope))
    case .ifExpr(let next):
      var other = scope
      followBranches(of: next, in: &other)
      ways.append(other)
    case nil: ways.append(scope)
    }
    join(ways, in: &scope)
  }

  private mutating func followCases(of branch: SwitchExprSyntax, in scope: inout Scope) {
    var ways: [Scope] = []
    refuseAssignments(in: Syntax(branch.subject), scope)
    for element in branch.cases {
      // What leaves a case in the middle of it, or goes on in the next one, makes ways of its own.
      guard let section = element.as(SwitchCaseSyntax.self), section.isOneWay else {
        isDefinite = false
        return
      }
      var inner = scope
      inner.locals.formUnion(section.patternNames)
      ways.append(follow(section.statements, from: inner))
    }
    join(ways, in: &scope)
  }

  /// Conditions with code that gives properties their values are too clever for this.
  private mutating func refuseAssignments(in condition: Syntax, _ scope: Scope) {
    let targets = AssignmentTargets(condition, locals: scope.locals).names
    if !targets.intersection(tracked.union(constants)).isSubset(of: scope.definite) { isDefinite = false }
  }

  /// What is known where several ways meet: what is known on each that does not leave.
  private mutating func join(_ ways: [Scope], in scope: inout Scope) {
    let open = ways.filter { !$0.isLeft }
    guard let first = open.first else {
      scope.isLeft = true
      return
    }
    let all = open.dropFirst().reduce(first.definite) { $0.intersection($1.definite) }
    let met = open.reduce(into: Set<String>()) { $0.formUnion($1.definite) }
    if met != all { isDefinite = false }
    scope.definite = all
  }
}
