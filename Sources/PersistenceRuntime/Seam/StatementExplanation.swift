/// A store's query plan of a request.
package struct StatementExplanation: Sendable, Hashable {
  /// One step of the plan.
  package struct Step: Sendable, Hashable {
    package let text: String
    /// The number of enclosing steps.
    package let depth: Int

    package init(text: String, depth: Int) {
      self.text = text
      self.depth = depth
    }
  }

  package let statement: String
  /// The literals of the statement's parameters, in order.
  package let bindings: [String]
  package let steps: [Step]

  package init(statement: String, bindings: [String], steps: [Step]) {
    self.statement = statement
    self.bindings = bindings
    self.steps = steps
  }
}
