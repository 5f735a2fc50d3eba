/// An aggregation over rows.
///
/// The result has one row, or with ``group`` one for each of its values in their order. A row has the group's value, if
/// there is one, then a value for each of ``columns``.
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

/// A column of the result.
package struct AggregateColumn: Sendable {
  package let function: AggregateFunction
  /// The operand; nil to count rows.
  package let operand: AggregateOperand?

  package init(_ function: AggregateFunction, _ operand: AggregateOperand?) {
    self.function = function
    self.operand = operand
  }
}

/// An aggregate function. All but the count of rows ignore nil.
package enum AggregateFunction: Sendable, Hashable {
  case count
  case countDistinct
  /// Nil without values. An integer sum beyond 64 bits is its digits as text; a decimal sum that is not exact is
  /// ``SumAccumulator/inexactText``.
  case sum
  case minimum
  case maximum
}

/// An expression evaluated for each row.
package enum AggregateOperand: Sendable {
  /// The sort key of a term.
  case column(SortTerm)
  case tree(QueryTree)
}
