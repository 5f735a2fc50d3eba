import Foundation
import PersistenceRuntime
import Synchronization

/// The translation of all expressions of a type with the same key paths and operators. They differ in their captured
/// values, which are read from the expression's memory (decision 36).
///
/// Traversing an expression costs more than the rest of a short fetch, because each node is generic and its operands'
/// metadata and witnesses are looked up at run time.
///
/// Unchecked: key path objects are not Sendable as a type; those of predicates are, by Foundation's declaration.
/// Immutable except for ``next``, which is atomic.
final class TranslationTemplate: @unchecked Sendable {
  private struct KeyPathPart {
    let offset: Int
    /// Retained, so that no other object gets its address.
    let keyPath: AnyKeyPath
    let address: UInt
  }

  private struct OperatorPart {
    let offset: Int
    let value: PredicateExpressions.ComparisonOperator
  }

  /// The address of the expression type's metadata.
  let type: UInt
  /// The address of the next template in the chain.
  let next = Atomic<UInt>(0)
  /// Nil if only ``parts`` is known.
  private let tree: QueryTree?
  /// The parts of the type; nil if its translation depends on more.
  let parts: ExpressionParts?
  private let keyPaths: [KeyPathPart]
  private let variables: [Int]
  private let operators: [OperatorPart]
  private let values: [ExpressionParts.ValuePart]
  private let formats: [ColumnFormat]

  /// Caches the parts of a type without a tree.
  init(of type: UInt, _ parts: ExpressionParts?) {
    self.type = type
    self.parts = parts
    tree = nil
    (keyPaths, variables, operators, values, formats) = ([], [], [], [], [])
  }

  /// - Parameters:
  ///   - expression: The translated expression.
  ///   - tree: Its translation.
  /// - Returns: Nil if the tree depends on more than the parts.
  init?(of expression: OpenedExpression, _ parts: ExpressionParts, tree: QueryTree) {
    let memory = unsafe expression.memory
    let values = parts.values.map { unsafe $0.type.queryValue(at: memory + $0.offset) }
    guard tree.rows.isEmpty, values == tree.values.map(Optional.some) else { return nil }
    type = expression.type
    self.tree = tree
    self.parts = parts
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

  /// The tree for another expression of the type; nothing if its key paths, operators or variables differ.
  func memory(of expression: OpenedExpression) -> TemplateMemory.Memory {
    guard var tree else { return parts == nil ? .unfit : .nothing }
    guard unsafe isAlike(expression.memory, model: expression.model) else { return .nothing }
    guard let values = unsafe readValues(of: expression.memory) else { return .unfit }
    tree.replaceValues(by: values)
    return .tree(tree)
  }

  /// Whether the template matches its own expression, which then depends on its model only.
  func finds(_ expression: OpenedExpression) -> Bool {
    guard !keyPaths.isEmpty, !variables.isEmpty else { return false }
    return unsafe isAlike(expression.memory, model: expression.model)
  }

  private func isAlike(_ memory: UnsafeRawPointer, model: PredicateExpressions.VariableID) -> Bool {
    for part in keyPaths where unsafe memory.load(fromByteOffset: part.offset, as: UInt.self) != part.address {
      return false
    }
    for part in operators
    where unsafe memory.load(fromByteOffset: part.offset, as: PredicateExpressions.ComparisonOperator.self)
      != part.value
    {
      return false
    }
    for offset in variables
    where unsafe memory.load(fromByteOffset: offset, as: PredicateExpressions.VariableID.self) != model {
      return false
    }
    return true
  }

  /// Reads the captured values; nil if one needs a translation of its own.
  private func readValues(of memory: UnsafeRawPointer) -> [QueryValue]? {
    var result: [QueryValue] = []
    result.reserveCapacity(values.count)
    for index in values.indices {
      let part = values[index]
      guard let value = unsafe part.type.queryValue(at: memory + part.offset), !value.isNotANumber,
        value.format == formats[index]
      else { return nil }
      result.append(value)
    }
    return result
  }
}
