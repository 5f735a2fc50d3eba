import PersistenceSupport

/// A fetch of rows of an entity.
///
/// A row starts with the primary key, followed by the columns of the properties in ``mask`` in declaration order. In an
/// inheritance hierarchy, the columns that subentities declare follow in the order of ``EntityLayout/family``, limited
/// to ``EntityLayout/mask(of:wanted:)``, and then the name of the row's entity. Rows with equal sort values are sorted
/// by primary key, so that the order is deterministic.
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
  /// Whether the request ends when its task is cancelled. False for reads of faults and for saves, which must complete.
  package var stopsWhenCancelled = false
  /// The fetch as the program wrote it, for an engine that passes it to a custom store; nil for all other engines.
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

/// A fetch as the program wrote it. The type that conforms is declared in another module.
package protocol FetchOrigin: AnyObject, Sendable {}

/// The selected rows of an entity.
package enum FetchSelection: Sendable {
  case all
  case matching(QueryTree)
  /// The row with a primary key. No predicate applies.
  case key(Int64)
  /// The rows with primary keys, unordered.
  case keys([Int64])
}

/// The statement that a store runs for a request, and the database's plan for it.
package struct StatementExplanation: Sendable, Hashable {
  /// One step of the plan.
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
  /// The values of the statement's parameters, in order, written as literals.
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
/// A row contains the related model's key, its columns in ``mask``, and the key of its owner. The owner's key may be
/// omitted, or be one of the columns in ``mask``. The last column is the model's position in the relationship, or NULL
/// if the models are ordered by key. Rows of a junction table are returned in order, and their position is NULL.
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

  /// - Parameter knowsOwner: Whether the rows may omit the owner's key if there is only one owner.
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

  /// The properties of the destination whose columns the rows contain.
  package var mask: UInt64 {
    guard omitsOwner, let inverse = relationship.inverse else { return PropertyMask.all }
    return ~PropertyMask.bit(inverse.position)
  }

  /// The indices of two columns: the owner's key (nil if the rows omit it), and the position in the relationship.
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

/// The keys of two related models: one row of a junction table.
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
  /// The keys of all models in the owner's relationship, in their order.
  package let targets: [Int64]

  package init(owner: Int64, targets: [Int64]) {
    self.owner = owner
    self.targets = targets
  }
}

/// One criterion of a sort order.
package struct SortTerm: Sendable, Hashable {
  /// How values are compared.
  package enum Form: Sendable, Hashable {
    /// Compares the stored values of the column.
    case stored
    /// A localized comparison of strings.
    case text(TextOrder)
    /// Compares the ranks that this list assigns to the column's values. Nil is last.
    case ranked([RankedValue])
  }

  /// The property's position in its entity: the destination of the last of ``steps``, or else the fetched entity.
  package let property: Int
  /// The index of the column, relative to the property's first column.
  package let column: Int
  package let isDescending: Bool
  /// The to-one relationships that lead from the fetched entity to the property; empty for an own property.
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

/// A stored value of an enum that defines `<`, and the value's rank in this order. Equal values have the same rank.
package struct RankedValue: Sendable, Hashable {
  package let value: QueryValue
  package let rank: Int

  package init(_ value: QueryValue, rank: Int) {
    self.value = value
    self.rank = rank
  }
}

/// A to-one relationship that a sort criterion or predicate follows.
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
/// Without ``group``, the result is one row. With it, the result has one row for each value of the group expression,
/// sorted by this value, which is then the row's first column. A value for each of ``columns`` follows.
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

/// A column of the result of an aggregation.
package struct AggregateColumn: Sendable {
  package let function: AggregateFunction
  /// The operand; nil to count rows.
  package let operand: AggregateOperand?

  package init(_ function: AggregateFunction, _ operand: AggregateOperand?) {
    self.function = function
    self.operand = operand
  }
}

/// An aggregate function. Ignores nil, except that a count without operand counts rows.
package enum AggregateFunction: Sendable, Hashable {
  case count
  case countDistinct
  /// Nil if there are no values. An integer sum of more than 64 bits is returned as text. A decimal sum without an
  /// exact representation is returned as ``SumAccumulator/inexactText``.
  case sum
  case minimum
  case maximum
}

/// An expression that is evaluated for each row before the aggregation.
package enum AggregateOperand: Sendable {
  /// The value by which a sort term sorts.
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
