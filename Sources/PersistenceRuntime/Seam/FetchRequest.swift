import PersistenceSupport

/// A fetch of rows of an entity.
///
/// A row starts with the primary key and the columns of the properties in ``mask`` in declaration order. In a hierarchy
/// the subentities' columns follow in the order of ``EntityLayout/family``: the own properties that
/// ``EntityLayout/mask(of:wanted:)`` includes. The name of the row's entity comes last. The primary key is the last
/// sort criterion, so that the order is deterministic.
package struct FetchRequest: Sendable {
  package let entity: EntityLayout
  package var selection: FetchSelection
  package var sort: [SortTerm]
  /// The maximum number of rows; nil for all.
  package var limit: Int?
  package var offset: Int
  /// The properties whose columns are read.
  package var mask: UInt64
  /// Whether rows of subentities are included. A look-up by key always includes them.
  package var includesSubentities: Bool
  /// Whether cancellation of the task ends the request. False for reads that a fault or a save needs.
  package var stopsWhenCancelled = false
  /// The fetch of the program, for engines that pass it on to a custom store; nil for all other engines.
  package var origin: (any FetchOrigin)?

  package init(
    entity: EntityLayout, selection: FetchSelection = .all, sort: [SortTerm] = [], limit: Int? = nil, offset: Int = 0,
    mask: UInt64 = PropertyMask.all, includesSubentities: Bool = true
  ) {
    self.entity = entity
    self.selection = selection
    self.sort = sort
    self.limit = limit
    self.offset = offset
    self.mask = mask
    self.includesSubentities = includesSubentities
  }

  /// Whether all rows of the entity are requested.
  package var meansEverything: Bool {
    guard case .all = selection else { return false }
    return limit == nil && offset == 0
  }
}

/// A fetch as the program described it. This module does not know its type.
package protocol FetchOrigin: AnyObject, Sendable {}

/// The selected rows of an entity.
package enum FetchSelection: Sendable {
  case all
  case matching(QueryTree)
  /// The row with a primary key, regardless of predicates.
  case key(Int64)
  /// The rows with primary keys, unordered.
  case keys([Int64])
}

/// How a store executes a request, in the terms of its database.
package struct StatementExplanation: Sendable, Hashable {
  /// One step of the execution.
  package struct Step: Sendable, Hashable {
    package let text: String
    /// The number of steps that enclose this one.
    package let depth: Int

    package init(text: String, depth: Int) {
      self.text = text
      self.depth = depth
    }
  }

  package let statement: String
  /// The values of the statement's parameters, in order, as literals of the statement.
  package let bindings: [String]
  package let steps: [Step]

  package init(statement: String, bindings: [String], steps: [Step]) {
    self.statement = statement
    self.bindings = bindings
    self.steps = steps
  }
}

/// A fetch of the related models of one or several owners, for a relationship without a column in the owners' table.
///
/// A row has the primary key, the columns of the destination in ``mask``, and the owner's key unless it is omitted or
/// among these columns. The last column has the model's position in the relationship, or NULL if its key determines the
/// order. With a junction table the rows are ordered and the position is always NULL.
package struct MemberRequest: Sendable {
  /// The owners of the relationship.
  package enum Owners: Sendable {
    case one(Int64)
    case some([Int64])
    /// All owners. The engine may scan the destination table.
    case all
  }

  package let relationship: RelationshipLayout
  package let entity: EntityLayout
  package let destination: EntityLayout
  package let owners: Owners
  /// Whether rows omit the owner's key, because the owner is known.
  package let omitsOwner: Bool

  /// - Parameter knowsOwner: Whether the key of a single owner may be omitted.
  package init(
    relationship: RelationshipLayout, entity: EntityLayout, destination: EntityLayout, owners: Owners,
    knowsOwner: Bool = false
  ) {
    self.relationship = relationship
    self.entity = entity
    self.destination = destination
    self.owners = owners
    let position = relationship.inverse?.position ?? PropertyMask.sharedPosition
    if case .one = owners, knowsOwner, position < PropertyMask.sharedPosition {
      omitsOwner = Self.hasOwnerAmongColumns(relationship, destination)
    } else {
      omitsOwner = false
    }
  }

  /// The properties of the destination in the rows.
  package var mask: UInt64 {
    guard omitsOwner, let inverse = relationship.inverse else { return PropertyMask.all }
    return ~PropertyMask.bit(inverse.position)
  }

  /// The columns of the owner's key (nil if omitted) and of the position.
  package var columns: (owner: Int32?, position: Int32) {
    guard destination.inheritance == nil else {
      let last = EntityColumns.all(of: FetchRequest(entity: destination)).nameColumn
      return (last + 1, last + 2)
    }
    let end = destination.firstColumns[destination.properties.count]
    if omitsOwner { return (nil, end - 1) }
    guard hasOwnerAmongColumns, let inverse = relationship.inverse else { return (end, end + 1) }
    return (destination.firstColumns[inverse.position], end)
  }

  /// Whether the destination's columns already include the owner's key, so that it is not read twice.
  package var hasOwnerAmongColumns: Bool { Self.hasOwnerAmongColumns(relationship, destination) }

  private static func hasOwnerAmongColumns(_ relationship: RelationshipLayout, _ destination: EntityLayout) -> Bool {
    relationship.storage == .inverseColumn && destination.inheritance == nil
  }
}

/// A pair of related models, by their keys.
package struct RelatedPair: Sendable, Hashable {
  package let owner: Int64
  package let target: Int64

  package init(owner: Int64, target: Int64) {
    self.owner = owner
    self.target = target
  }
}

/// The order of one owner's rows in a junction table.
package struct PairOrder: Sendable {
  package let owner: Int64
  /// The keys of all targets, in their order.
  package let targets: [Int64]

  package init(owner: Int64, targets: [Int64]) {
    self.owner = owner
    self.targets = targets
  }
}

/// One criterion of a sort order.
package struct SortTerm: Sendable, Hashable {
  /// The comparison of values.
  package enum Form: Sendable, Hashable {
    /// Compares the stored values of the column.
    case stored
    /// A localized comparison of strings.
    case text(TextOrder)
    /// Compares the ranks of the column's values in this list; nil is last.
    case ranked([RankedValue])
  }

  /// The position of the property in the entity at the end of ``steps``.
  package let property: Int
  /// The column, relative to the property's first column.
  package let column: Int
  package let isDescending: Bool
  /// The to-one relationships on the path to the property.
  package let steps: [RelationshipStep]
  package let form: Form

  package init(
    property: Int, column: Int = 0, isDescending: Bool, steps: [RelationshipStep] = [], form: Form = .stored
  ) {
    self.property = property
    self.column = column
    self.isDescending = isDescending
    self.steps = steps
    self.form = form
  }
}

/// A value of a type that defines an order of its values, and its rank.
package struct RankedValue: Sendable, Hashable {
  package let value: QueryValue
  package let rank: Int

  package init(_ value: QueryValue, rank: Int) {
    self.value = value
    self.rank = rank
  }
}

/// A to-one relationship on a path.
package struct RelationshipStep: Sendable, Hashable {
  /// The position of the relationship in its source entity.
  package let position: Int
  /// The destination entity.
  package let destination: String

  package init(position: Int, destination: String) {
    self.position = position
    self.destination = destination
  }
}

/// An aggregation over rows.
///
/// The result has one row, or with ``group`` one row for each value of the group, in the order of the values. A row has
/// the group's value, if there is one, then a value for each of ``columns``.
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
  /// Nil without values. An integer sum beyond 64 bits is text with its digits; an inexact decimal sum is
  /// ``SumAccumulator/inexactText``.
  case sum
  case minimum
  case maximum
}

/// An expression evaluated for each row.
package enum AggregateOperand: Sendable {
  /// The sort key of a sort term.
  case column(SortTerm)
  case tree(QueryTree)
}

extension FetchRequest {
  /// The number of columns of a row.
  package var columnCount: Int32 {
    let end = EntityColumns.all(of: self).nameColumn
    return entity.inheritance == nil ? end : end + 1
  }
}
