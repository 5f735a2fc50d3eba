import Foundation
import PersistenceRuntime

/// A predicate on transactions, split into conditions that a store can evaluate and conditions that are evaluated in
/// memory.
package struct HistoryConditions {
  /// A matching transaction comes after each of these tokens, or has the token itself, if `isIncluded` is true.
  private var lowerTokens: [(token: DefaultHistoryToken, isIncluded: Bool)] = []
  private var upperTokens: [(token: DefaultHistoryToken, isIncluded: Bool)] = []
  private var after: Int64 = 0
  private var through: Int64 = .max
  private var since: Double?
  private var until: Double?
  private var authors: Set<String> = []
  /// The conditions that a store cannot evaluate. They are evaluated in memory.
  private var rest: [any PredicateExpression<Bool>] = []
  private let variable: PredicateExpressions.Variable<DefaultHistoryTransaction>?

  package init(_ predicate: Predicate<DefaultHistoryTransaction>?) {
    variable = predicate?.variable
    if let predicate { add(predicate.expression) }
  }

  /// Adds a condition that must hold in addition to the others.
  fileprivate mutating func add(_ expression: any PredicateExpression<Bool>) {
    guard let condition = expression as? any HistoryCondition, condition.add(to: &self) else {
      return rest.append(expression)
    }
  }

  /// Whether some conditions have to be evaluated in memory, which needs the decoded transactions.
  package var needsTransactions: Bool { !rest.isEmpty }

  /// Whether the predicate selects the transactions after a token. They must all still exist; otherwise the token has
  /// expired.
  package var beginsAtToken: Bool { !lowerTokens.isEmpty }

  /// The conditions that the store evaluates; nil if no transaction of the store can match.
  package func request(of store: String) -> HistoryRequest? {
    var request = HistoryRequest()
    request.after = after
    for (token, isIncluded) in lowerTokens {
      request.after = max(request.after, token.number(of: store) - (isIncluded ? 1 : 0))
    }
    var through = through
    for (token, isIncluded) in upperTokens {
      through = min(through, token.number(of: store) - (isIncluded ? 0 : 1))
    }
    guard authors.count <= 1 else { return nil }
    request.through = through
    request.since = since
    request.until = until
    request.author = authors.first.map(HistoryRequest.Author.named)
    return request
  }

  /// The ID up to which the token in the predicate excludes the transactions of a store, because the program has
  /// already processed them; nil if the predicate does not begin at a token.
  package func knownNumber(of store: String) -> Int64? {
    lowerTokens.map { $0.token.number(of: store) - ($0.isIncluded ? 1 : 0) }.max().map { max(0, $0) }
  }

  /// Evaluates the conditions that the store cannot evaluate.
  ///
  /// - Throws: The error of the predicate.
  package func matches(_ transaction: DefaultHistoryTransaction) throws -> Bool {
    guard let variable else { return true }
    let bindings = PredicateBindings((variable, transaction))
    return try rest.allSatisfy { try $0.evaluate(bindings) }
  }
}

/// A comparison operator, with the property on the left and the value on the right.
private enum Relation {
  case less, lessOrEqual, greater, greaterOrEqual, equal

  var flipped: Relation {
    switch self {
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    case .equal: .equal
    }
  }

  init?(_ comparison: PredicateExpressions.ComparisonOperator) {
    switch comparison {
    case .lessThan: self = .less
    case .lessThanOrEqual: self = .lessOrEqual
    case .greaterThan: self = .greater
    case .greaterThanOrEqual: self = .greaterOrEqual
    @unknown default: return nil
    }
  }
}

extension HistoryConditions {
  /// Adds the comparison to the conditions for the store. Returns false if the store cannot evaluate it.
  fileprivate mutating func add(_ keyPath: AnyKeyPath, _ relation: Relation, _ value: Any) -> Bool {
    switch (keyPath, value) {
    case (\DefaultHistoryTransaction.token, let token as DefaultHistoryToken): addToken(token, relation)
    case (\DefaultHistoryTransaction.transactionIdentifier, let number as Int64),
      (\DefaultHistoryTransaction.id, let number as Int64):
      addNumber(number, relation)
    case (\DefaultHistoryTransaction.timestamp, let date as Date):
      addTime(date.timeIntervalSinceReferenceDate, relation)
    case (\DefaultHistoryTransaction.author, let author as String): addAuthor(author, relation)
    default: false
    }
  }

  private mutating func addToken(_ token: DefaultHistoryToken, _ relation: Relation) -> Bool {
    switch relation {
    case .greater: lowerTokens.append((token, false))
    case .greaterOrEqual: lowerTokens.append((token, true))
    case .less: upperTokens.append((token, false))
    case .lessOrEqual: upperTokens.append((token, true))
    case .equal: return false
    }
    return true
  }

  private mutating func addNumber(_ number: Int64, _ relation: Relation) -> Bool {
    let (before, isUnder) = number.subtractingReportingOverflow(1)
    guard !isUnder else { return false }
    switch relation {
    case .greater: after = max(after, number)
    case .greaterOrEqual: after = max(after, before)
    case .less: through = min(through, before)
    case .lessOrEqual: through = min(through, number)
    case .equal: (after, through) = (max(after, before), min(through, number))
    }
    return true
  }

  /// Adds a condition on the timestamp, which a store keeps with each record.
  private mutating func addTime(_ time: Double, _ relation: Relation) -> Bool {
    switch relation {
    case .greater: since = max(since ?? -.infinity, time.nextUp)
    case .greaterOrEqual: since = max(since ?? -.infinity, time)
    case .less: until = min(until ?? .infinity, time.nextDown)
    case .lessOrEqual: until = min(until ?? .infinity, time)
    case .equal: (since, until) = (max(since ?? -.infinity, time), min(until ?? .infinity, time))
    }
    return !time.isNaN
  }

  /// Adds a condition on the author if the name is ASCII. The store compares bytes, whereas Swift may consider two
  /// other texts equal although their bytes differ.
  private mutating func addAuthor(_ author: String, _ relation: Relation) -> Bool {
    guard relation == .equal, author.utf8.allSatisfy({ 1..<128 ~= $0 }) else { return false }
    authors.insert(author)
    return true
  }
}

/// An expression that a store may be able to evaluate.
private protocol HistoryCondition {
  /// Adds the expression to the conditions for the store. Returns false if it has to be evaluated in memory.
  func add(to conditions: inout HistoryConditions) -> Bool
}

extension PredicateExpressions.Conjunction: HistoryCondition {
  fileprivate func add(to conditions: inout HistoryConditions) -> Bool {
    conditions.add(lhs)
    conditions.add(rhs)
    return true
  }
}

extension PredicateExpressions.Comparison: HistoryCondition {
  fileprivate func add(to conditions: inout HistoryConditions) -> Bool {
    Relation(op).map { conditions.add(lhs, $0, rhs) } ?? false
  }
}

extension PredicateExpressions.Equal: HistoryCondition {
  fileprivate func add(to conditions: inout HistoryConditions) -> Bool { conditions.add(lhs, .equal, rhs) }
}

extension HistoryConditions {
  /// Adds a comparison of a property with a value. The property may be on either side.
  fileprivate mutating func add(_ lhs: Any, _ relation: Relation, _ rhs: Any) -> Bool {
    if let path = (lhs as? any TransactionProperty)?.property, let value = (rhs as? any ConstantValue)?.constant {
      return add(path, relation, value)
    }
    if let path = (rhs as? any TransactionProperty)?.property, let value = (lhs as? any ConstantValue)?.constant {
      return add(path, relation.flipped, value)
    }
    return false
  }
}

/// An expression that reads a property of the transaction.
private protocol TransactionProperty {
  var property: AnyKeyPath? { get }
}

extension PredicateExpressions.KeyPath: TransactionProperty {
  fileprivate var property: AnyKeyPath? {
    root is PredicateExpressions.Variable<DefaultHistoryTransaction> ? keyPath : nil
  }
}

/// A captured or literal value of a predicate.
private protocol ConstantValue {
  var constant: Any { get }
}

extension PredicateExpressions.Value: ConstantValue {
  fileprivate var constant: Any { value }
}
