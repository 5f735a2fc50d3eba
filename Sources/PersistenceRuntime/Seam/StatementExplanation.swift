/// How a store answers a request, in its own terms.
package struct StatementExplanation: Sendable, Hashable {
  /// One thing that the store does.
  package struct Step: Sendable, Hashable {
    package let text: String
    /// How many other steps it is a part of.
    package let depth: Int

    package init(text: String, depth: Int) {
      self.text = text
      self.depth = depth
    }
  }

  package let statement: String
  /// The values of the statement's parameters, in order, as they would be written in it.
  package let bindings: [String]
  package let steps: [Step]

  package init(statement: String, bindings: [String], steps: [Step]) {
    self.statement = statement
    self.bindings = bindings
    self.steps = steps
  }
}
