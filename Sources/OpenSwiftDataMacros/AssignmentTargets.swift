import SwiftSyntax

/// The names of properties that an initialiser assigns, as `self.name = …` or `name = …`, even in nested blocks.
struct AssignmentTargets {
  private(set) var names: Set<String> = []

  /// Collects the names that the code assigns. A name in `locals` without `self.` is a local variable, not a property.
  init(_ code: Syntax, locals: Set<String>) {
    let search = Search(locals: locals)
    search.walk(code)
    names = search.names
  }

  /// Collects the names in the left side of one assignment, for example both names of `(a, b) = pair`.
  init(of target: ExprSyntax, locals: Set<String>) {
    let search = Search(locals: locals)
    search.note(target)
    names = search.names
  }

  private final class Search: SyntaxVisitor {
    private let locals: Set<String>
    private(set) var names: Set<String> = []

    init(locals: Set<String>) {
      self.locals = locals
      super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
      let elements = Array(node.elements)
      for index in elements.indices.dropFirst() where elements[index].is(AssignmentExprSyntax.self) {
        note(elements[index - 1])
      }
      return .visitChildren
    }

    func note(_ target: ExprSyntax) {
      if let tuple = target.as(TupleExprSyntax.self) {
        for element in tuple.elements { note(element.expression) }
      } else if let member = target.as(MemberAccessExprSyntax.self), member.base?.trimmedDescription == "self" {
        insert(member.declName.baseName.name)
      } else if let reference = target.as(DeclReferenceExprSyntax.self) {
        let name = reference.baseName.name
        if !locals.contains(name) { insert(name) }
      } else if let inner = target.markedExpression {
        note(inner)
      }
    }

    /// Also inserts `name` for `_name`, because a synchronous initialiser of an actor assigns `_name` instead.
    private func insert(_ name: String) {
      names.insert(name)
      if name.hasPrefix("_") { names.insert(String(name.dropFirst())) }
    }
  }
}

extension ExprSyntax {
  /// The expression after `try`, `await` or `unsafe`. In an unfolded `try name = value`, `try` covers only `name`.
  var markedExpression: ExprSyntax? {
    self.as(TryExprSyntax.self)?.expression ?? self.as(AwaitExprSyntax.self)?.expression
      ?? self.as(UnsafeExprSyntax.self)?.expression
  }
}

extension TokenSyntax {
  /// The identifier without backticks.
  var name: String { text.trimmingBackticks }
}
