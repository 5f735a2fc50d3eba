/// What a store is to calculate over rows.
///
/// There is one row of results, or with ``group`` one for each of its values, in their order. It has the value of the
/// group first, if there is one, and then a column for each of ``columns``.
package struct AggregateRequest: Sendable {
  package let entity: EntityLayout
  package var selection: FetchSelection
  package let group: AggregateOperand?
  package let columns: [AggregateColumn]

  package init(
    entity: EntityLayout, selection: FetchSelection, group: AggregateOperand?, columns: [AggregateColumn]
  ) {
    self.entity = entity
    self.selection = selection
    self.group = group
    self.columns = columns
  }
}

/// A column of results.
package struct AggregateColumn: Sendable {
  package let function: AggregateFunction
  /// What the function is over; nil for whole rows.
  package let operand: AggregateOperand?

  package init(_ function: AggregateFunction, _ operand: AggregateOperand?) {
    self.function = function
    self.operand = operand
  }
}

/// What a store calculates. Nil is left out of everything but a count of rows.
package enum AggregateFunction: Sendable, Hashable {
  case count
  case countDistinct
  /// Nil for no values. A sum of integers that exceeds 64 bits is its digits as text, one of decimals that cannot be
  /// exact is the text of ``SumAccumulator/inexactText``.
  case sum
  case minimum
  case maximum
}

/// A value for each row.
package enum AggregateOperand: Sendable {
  /// What an order by the term compares.
  case column(SortTerm)
  case tree(QueryTree)
}
