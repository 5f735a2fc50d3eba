import Foundation

extension PredicateExpressions.KeyPath: TranslatableExpression where Root: TranslatableExpression {
  package var constant: Output? {
    root.constant.map { $0[keyPath: keyPath] }
  }

  package var isConstant: Bool { root.isConstant }

  package func translate(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    try root.translateMember(keyPath, into: &translation)
  }

  /// A condition on captured values alone, such as whether a text to search for is empty, is known here.
  package func translateTest(into translation: inout QueryTranslation) throws(UntranslatableExpression) {
    guard isConstant, let truth = constant as? Bool else { return try translate(into: &translation) }
    translation.append(.truth(truth))
  }
}
