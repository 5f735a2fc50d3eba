import Foundation

/// The translation of an expression, for every other one of the same type that has the same key paths and operators: only
/// the captured values differ, and are read from where they lie.
///
/// Walking through an expression costs more than the rest of a short fetch, because each node is generic: the runtime looks
/// up its operands' metadata and witnesses at every step.
///
/// Unchecked because key path objects are not Sendable by themselves; those of predicates are, as Foundation declares
/// them, and nothing here ever changes.
final class TranslationTemplate: @unchecked Sendable {
  private struct KeyPathPart {
    let offset: Int
    /// Kept, so that no other can take its address.
    let keyPath: AnyKeyPath
    let address: UInt
  }

  private struct OperatorPart {
    let offset: Int
    let value: PredicateExpressions.ComparisonOperator
  }

  let type: ObjectIdentifier
  private let tree: QueryTree
  private let keyPaths: [KeyPathPart]
  private let variables: [Int]
  private let operators: [OperatorPart]
  private let values: [ExpressionParts.ValuePart]
  private let formats: [ColumnFormat]

  /// - Parameters:
  ///   - memory: The expression that was translated.
  ///   - tree: What came of it.
  /// - Returns: nil when the tree is not what the parts alone decide about.
  init?(_ type: ObjectIdentifier, _ parts: ExpressionParts, of memory: UnsafeRawPointer, tree: QueryTree) {
    let values = parts.values.map { unsafe $0.type.queryValue(at: memory + $0.offset) }
    guard tree.rows.isEmpty, values == tree.values.map(Optional.some) else { return nil }
    self.type = type
    self.tree = tree
    self.values = parts.values
    formats = tree.values.map(\.format)
    variables = parts.variables
    keyPaths = parts.keyPaths.map { offset in
      let keyPath = unsafe memory.load(fromByteOffset: offset, as: AnyKeyPath.self)
      return KeyPathPart(offset: offset, keyPath: keyPath, address: UInt(bitPattern: ObjectIdentifier(keyPath)))
    }
    operators = parts.operators.map { offset in
      OperatorPart(
        offset: offset,
        value: unsafe memory.load(fromByteOffset: offset, as: PredicateExpressions.ComparisonOperator.self))
    }
  }

  /// The tree for another expression of the type; nil when it has other key paths, or is about more than the model.
  func tree(for memory: UnsafeRawPointer, of model: PredicateExpressions.VariableID) -> QueryTree? {
    for part in keyPaths where unsafe memory.load(fromByteOffset: part.offset, as: UInt.self) != part.address {
      return nil
    }
    for part in operators
    where unsafe memory.load(fromByteOffset: part.offset, as: PredicateExpressions.ComparisonOperator.self)
      != part.value
    {
      return nil
    }
    for offset in variables
    where unsafe memory.load(fromByteOffset: offset, as: PredicateExpressions.VariableID.self) != model {
      return nil
    }
    guard let values = unsafe readValues(of: memory) else { return nil }
    return tree.withValues(values)
  }

  private func readValues(of memory: UnsafeRawPointer) -> [QueryValue]? {
    var result: [QueryValue] = []
    result.reserveCapacity(values.count)
    for (part, format) in zip(values, formats) {
      guard let value = unsafe part.type.queryValue(at: memory + part.offset), !value.isNotANumber,
        value.format == format
      else { return nil }
      result.append(value)
    }
    return result
  }
}
