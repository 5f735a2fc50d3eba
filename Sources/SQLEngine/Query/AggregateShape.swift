import PersistenceRuntime

/// Everything in a request for calculations that its statement depends on, and nothing else: what ``RequestShape`` is for
/// fetches.
package struct AggregateShape: Sendable, Hashable {
  /// What is calculated with, or what rows are grouped by.
  enum Operand: Sendable, Hashable {
    case column(SortTerm)
    /// An expression: where its nodes are in ``AggregateShape/whole``.
    case nodes(Range<Int>)
  }

  struct Column: Sendable, Hashable {
    let function: AggregateFunction
    let operand: Operand?
  }

  /// The condition and all expressions, as if they were one condition.
  let whole: RequestShape
  /// Where the nodes of the condition are.
  let condition: Range<Int>?
  let group: Operand?
  let columns: [Column]

  func nodes(_ range: Range<Int>) -> [QueryNode] { Array(whole.nodes[range]) }
}

/// A request for calculations: its shape, and the values that the statement of that shape is bound to.
package struct AggregateQuery {
  package let shape: AggregateShape
  /// The values of the request, of the condition first and then of each operand, in one tree.
  package let values: QueryTree

  package init(_ request: AggregateRequest, table: TableMapping) {
    var joined = QueryTree()
    func add(_ tree: QueryTree) -> Range<Int> {
      let start = joined.nodes.count
      joined.append(tree)
      return start..<joined.nodes.count
    }
    func operand(_ operand: AggregateOperand) -> AggregateShape.Operand {
      switch operand {
      case .column(let term): .column(term)
      case .tree(let tree): .nodes(add(tree))
      }
    }
    var condition: Range<Int>?
    if case .matching(let tree) = request.selection { condition = add(tree) }
    let group = request.group.map { operand($0) }
    let columns = request.columns.map { column in
      AggregateShape.Column(function: column.function, operand: column.operand.map { operand($0) })
    }
    let whole = FetchRequest(entity: request.entity, selection: .matching(joined))
    shape = AggregateShape(
      whole: RequestShape(whole, purpose: .count, table: table), condition: condition, group: group, columns: columns)
    values = joined
  }
}
