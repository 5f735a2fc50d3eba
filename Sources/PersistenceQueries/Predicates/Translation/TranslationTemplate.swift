import Foundation
import PersistenceRuntime
import PersistenceSupport
import Synchronization

/// A cache of an entity's translated predicates, by expression type (decision 36). Thread-safe.
///
/// A program has few predicates; after the first thousand, predicates are not cached. Templates are only added at the
/// front of linked lists, and live as long as the cache, so a look-up needs no lock.
package final class TemplateMemory: Sendable {
  /// What the cache contains about an expression.
  package enum Memory {
    case tree(QueryTree)
    /// The cache cannot be used: the expression's key paths, operators and values do not determine the translation, or
    /// a value has no stored representation.
    case unfit
    case nothing
  }

  private static let chainCount = 64
  private static let longestChain = 16

  private let chains: [TemplateChain]

  init() {
    chains = (0..<Self.chainCount).map { _ in TemplateChain() }
  }

  /// The cached translation of an expression.
  func memory(of expression: OpenedExpression) -> Memory {
    var result = Memory.nothing
    chain(of: expression.type).walk { template in
      guard template.type == expression.type else { return true }
      result = template.memory(of: expression)
      if case .nothing = result { return true }
      return false
    }
    return result
  }

  /// Caches the tree of an expression.
  ///
  /// - Parameter model: The variable of the predicate.
  func remember<Expression: StandardPredicateExpression<Bool>>(
    _ tree: QueryTree, of expression: Expression, model: PredicateExpressions.VariableID
  ) {
    let type = UInt(bitPattern: ObjectIdentifier(Expression.self))
    let chain = chain(of: type)
    var count = 0
    var known: ExpressionParts?
    chain.walk { template in
      count += 1
      if template.type == type { known = known ?? template.parts }
      return count < Self.longestChain
    }
    guard count < Self.longestChain else { return }
    guard let parts = known ?? parts(of: Expression.self, in: chain) else { return }
    OpenedExpression.open(expression, model: model) { opened in
      guard let template = TranslationTemplate(of: opened, parts, tree: tree), template.finds(opened) else { return }
      chain.add(template)
    }
  }

  /// The parts of all expressions of the given type. They are computed once, because the computation is slow.
  private func parts<Expression: PredicateExpression<Bool>>(
    of type: Expression.Type, in chain: TemplateChain
  ) -> ExpressionParts? {
    let parts = (type as? any TranslatableExpression.Type).flatMap(ExpressionParts.parts)
    chain.add(TranslationTemplate(of: UInt(bitPattern: ObjectIdentifier(type)), parts))
    return parts
  }

  private func chain(of type: UInt) -> TemplateChain {
    chains[Int((type >> 4 ^ type >> 10) % UInt(Self.chainCount))]
  }
}

/// The translation of all expressions that have the same type, key paths and operators. Such expressions differ only in
/// their captured values, which are read from the memory of the expression (decision 36).
///
/// Traversing an expression takes longer than the rest of a short fetch: each node is generic, and its operands'
/// metadata and witnesses are looked up at run time.
///
/// Unchecked: the type of key paths is not Sendable, but Foundation declares the key paths in predicates as Sendable.
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
  /// The translation; nil if only ``parts`` is known.
  private let tree: QueryTree?
  /// The parts of all expressions of the type; nil if the parts do not determine the translation.
  let parts: ExpressionParts?
  private let keyPaths: [KeyPathPart]
  private let variables: [Int]
  private let operators: [OperatorPart]
  private let values: [ExpressionParts.ValuePart]
  private let formats: [ColumnFormat]

  /// Creates a template that contains the parts of an expression type, but no tree.
  init(of type: UInt, _ parts: ExpressionParts?) {
    self.type = type
    self.parts = parts
    tree = nil
    (keyPaths, variables, operators, values, formats) = ([], [], [], [], [])
  }

  /// - Parameters:
  ///   - expression: The translated expression.
  ///   - tree: Its translation.
  /// - Returns: Nil if the parts do not determine the tree.
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

  /// Returns the tree with the values of another expression, or `nothing` if key paths, operators or variables differ.
  func memory(of expression: OpenedExpression) -> TemplateMemory.Memory {
    guard var tree else { return parts == nil ? .unfit : .nothing }
    guard unsafe isAlike(expression.memory, model: expression.model) else { return .nothing }
    guard let values = unsafe readValues(of: expression.memory) else { return .unfit }
    tree.replaceValues(by: values)
    return .tree(tree)
  }

  /// Whether the template matches the expression that it was created from. If not, the parts do not determine the tree.
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

  /// Reads the captured values; nil if one of them, such as NaN, needs another translation than the cached one.
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

/// A linked list of templates that any thread may prepend to and traverse.
///
/// The chain retains its templates until it is deallocated, so a traversal needs no reference counting.
final class TemplateChain: Sendable {
  /// The address of the first template; 0 if there is none.
  private let head = Atomic<UInt>(0)

  deinit {
    var next = head.load(ordering: .acquiring)
    while let template = Self.template(at: next) {
      next = template.next.load(ordering: .relaxed)
      unsafe Unmanaged.passUnretained(template).release()
    }
  }

  /// Traverses the templates, newest first, while `body` returns true.
  @inline(__always)
  func walk(_ body: (TranslationTemplate) -> Bool) {
    var next = head.load(ordering: .acquiring)
    while let template = Self.template(at: next), body(template) {
      next = template.next.load(ordering: .relaxed)
    }
  }

  func add(_ template: TranslationTemplate) {
    let address = unsafe UInt(bitPattern: Unmanaged.passRetained(template).toOpaque())
    var first = head.load(ordering: .relaxed)
    while true {
      template.next.store(first, ordering: .relaxed)
      let (isDone, other) = head.compareExchange(
        expected: first, desired: address, ordering: .acquiringAndReleasing)
      if isDone { return }
      first = other
    }
  }

  private static func template(at address: UInt) -> TranslationTemplate? {
    unsafe UnsafeRawPointer(bitPattern: address)
      .map { unsafe Unmanaged<TranslationTemplate>.fromOpaque($0).takeUnretainedValue() }
  }
}

/// The offsets of an expression's parts: its key paths, variables, operators and values. These parts determine the
/// translation of the expression. The offsets depend only on the expression's type (decision 36).
///
/// Nodes are structs that store their operands, so an expression is one contiguous value.
package struct ExpressionParts {
  /// The offset of a captured value, and the type that reads it.
  struct ValuePart: Sendable {
    let offset: Int
    let type: any PlainQueryValue.Type
  }

  private(set) var keyPaths: [Int] = []
  private(set) var variables: [Int] = []
  private(set) var operators: [Int] = []
  private(set) var values: [ValuePart] = []
  /// Whether the parts alone determine the translation.
  private(set) var isComplete = true

  /// The parts of all expressions of the given type; nil if the parts do not determine the translation.
  static func parts(of type: any TranslatableExpression.Type) -> ExpressionParts? {
    var parts = ExpressionParts()
    type.describe(&parts, at: 0)
    return parts.isComplete ? parts : nil
  }

  /// Records that the parts do not determine the translation.
  mutating func giveUp() { isComplete = false }

  /// Adds the parts of an operand.
  mutating func add<Operand: TranslatableExpression>(_ operand: Operand.Type, at offset: Int, plus delta: Int?) {
    guard let delta else { return giveUp() }
    Operand.describe(&self, at: offset + delta)
  }

  mutating func addKeyPath(at offset: Int, plus delta: Int?) {
    guard let delta else { return giveUp() }
    keyPaths.append(offset + delta)
  }

  mutating func addVariable(at offset: Int, plus delta: Int?) {
    guard let delta else { return giveUp() }
    variables.append(offset + delta)
  }

  mutating func addOperator(at offset: Int, plus delta: Int?) {
    guard let delta else { return giveUp() }
    operators.append(offset + delta)
  }

  mutating func addValue(_ type: any Any.Type, at offset: Int, plus delta: Int?) {
    guard let delta, let type = type as? any PlainQueryValue.Type else { return giveUp() }
    values.append(ValuePart(offset: offset + delta, type: type))
  }
}

/// Gives access to the memory of a predicate's expression.
///
/// Opening an existential calls a generic function with the value at its address. In this function the type is known,
/// so its stored properties are at the offsets that `MemoryLayout` returns.
struct OpenedExpression {
  /// The address of the expression, valid during the call.
  let memory: UnsafeRawPointer
  /// The address of the expression type's metadata.
  let type: UInt
  /// The variable of the predicate.
  let model: PredicateExpressions.VariableID

  /// Opens an expression of a predicate with one input.
  ///
  /// - Parameter body: Uses the expression, which must not escape.
  static func open<Result>(
    _ expression: any StandardPredicateExpression<Bool>, model: PredicateExpressions.VariableID,
    _ body: (OpenedExpression) -> Result
  ) -> Result {
    func open<Expression: StandardPredicateExpression>(_ expression: Expression) -> Result {
      withUnsafePointer(to: expression) { pointer in
        unsafe body(
          OpenedExpression(
            memory: UnsafeRawPointer(pointer), type: UInt(bitPattern: ObjectIdentifier(Expression.self)), model: model))
      }
    }
    return open(expression)
  }
}

/// A type whose values can replace each other in a cached translation: all are stored and compared in the same way.
protocol PlainQueryValue: SendableMetatype {
  /// The stored representation of the value at an address; nil if the value cannot be used with a cached translation.
  static func queryValue(at memory: UnsafeRawPointer) -> QueryValue?
}

extension PlainQueryValue where Self: QueryValueConvertible {
  static func queryValue(at memory: UnsafeRawPointer) -> QueryValue? {
    unsafe memory.assumingMemoryBound(to: Self.self).pointee.queryValue
  }
}

extension Int: PlainQueryValue {}
extension Int8: PlainQueryValue {}
extension Int16: PlainQueryValue {}
extension Int32: PlainQueryValue {}
extension Int64: PlainQueryValue {}
extension UInt: PlainQueryValue {}
extension UInt8: PlainQueryValue {}
extension UInt16: PlainQueryValue {}
extension UInt32: PlainQueryValue {}
extension UInt64: PlainQueryValue {}
extension Float: PlainQueryValue {}
extension Double: PlainQueryValue {}
extension String: PlainQueryValue {}
extension Date: PlainQueryValue {}
extension UUID: PlainQueryValue {}

extension Optional: PlainQueryValue where Wrapped: PlainQueryValue & QueryValueConvertible {
  static func queryValue(at memory: UnsafeRawPointer) -> QueryValue? {
    unsafe memory.assumingMemoryBound(to: Self.self).pointee?.queryValue
  }
}

/// The query caches of one entity. Thread-safe.
package final class QueryMemory: Sendable {
  /// The cache of what key paths refer to.
  let keyPaths = KeyPathMemory()
  /// The cache of the entity's translated predicates.
  let templates = TemplateMemory()
  /// The targets of key paths through several properties.
  let valuePaths = ValuePathMemory()
}

extension EntityLayout {
  /// Passes the query caches of the entity to a block, without reference counting, because every query uses them.
  ///
  /// - Parameter body: Uses the caches, which must not escape.
  @inline(__always)
  func withQueryMemory<Result>(_ body: (QueryMemory) -> Result) -> Result {
    // The layout owns the caches, so it must not be released before `body` returns.
    defer { withExtendedLifetime(self) {} }
    return queryMemoryBox.object { QueryMemory() }._withUnsafeGuaranteedRef(body)
  }
}
