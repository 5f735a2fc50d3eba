/// A fetch of rows of an entity.
///
/// A row starts with the primary key, then the columns of the properties in ``mask`` in declaration order. In a
/// hierarchy there follow, for each subentity in the order of ``EntityLayout/family``, the columns of its own
/// properties as far as ``EntityLayout/mask(of:wanted:)`` includes them, and finally the name of the row's entity. The
/// primary key is the last sort criterion, so that the order is deterministic.
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
  /// Whether cancelling the task ends the request. Not set for reads that a fault or a save needs.
  package var stopsWhenCancelled = false

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

/// The selected rows of an entity.
package enum FetchSelection: Sendable {
  case all
  case matching(QueryTree)
  /// The row with a primary key, regardless of predicates.
  case key(Int64)
  /// The rows with primary keys, unordered.
  case keys([Int64])
}

/// How a store answers a request, in its own terms.
package struct StatementExplanation: Sendable, Hashable {
  /// One thing that the store does.
  package struct Step: Sendable, Hashable {
    package let text: String
    /// How many other steps it is a part of.
    package let depth: Int

    package init(text: String, depth: Int) {
      self.text = text
      self.depth = depth
    }
  }

  package let statement: String
  /// The values of the statement's parameters, in order, as they would be written in it.
  package let bindings: [String]
  package let steps: [Step]

  package init(statement: String, bindings: [String], steps: [Step]) {
    self.statement = statement
    self.bindings = bindings
    self.steps = steps
  }
}
