import Foundation
import PersistenceRuntime
import Synchronization

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

  /// The address of the type of the expressions.
  let type: UInt
  /// The address of the template behind this one in its chain.
  let next = Atomic<UInt>(0)
  /// Nil where nothing but ``parts`` is known.
  private let tree: QueryTree?
  /// Where expressions of the type have what their translation depends on; nil when that is not all.
  let parts: ExpressionParts?
  private let keyPaths: [KeyPathPart]
  private let variables: [Int]
  private let operators: [OperatorPart]
  private let values: [ExpressionParts.ValuePart]
  private let formats: [ColumnFormat]

  /// Keeps what was found out about a type, until there is a tree and for as long as there is none.
  init(of type: UInt, _ parts: ExpressionParts?) {
    self.type = type
    self.parts = parts
    tree = nil
    (keyPaths, variables, operators, values, formats) = ([], [], [], [], [])
  }

  /// - Parameters:
  ///   - expression: The expression that was translated.
  ///   - tree: What came of it.
  /// - Returns: nil when the tree is not what the parts alone decide about.
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

  /// The tree for another expression of the type; nothing when it has other key paths, or is about more than the model.
  func memory(of expression: OpenedExpression) -> TemplateMemory.Memory {
    guard var tree else { return parts == nil ? .unfit : .nothing }
    guard unsafe isAlike(expression.memory, model: expression.model) else { return .nothing }
    guard let values = unsafe readValues(of: expression.memory) else { return .unfit }
    tree.replaceValues(by: values)
    return .tree(tree)
  }

  /// Whether the template is of use for the expression that it was made of: it is about its model alone.
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

  /// The captured values; nil when one of them is looked for in a way of its own.
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
