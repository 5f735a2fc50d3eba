/// What a store is asked for.
///
/// Rows come back with the primary key as the first column and then the columns of every property in ``mask``, in order
/// of declaration. Of an entity in a hierarchy follow, for each entity that inherits from it and in the order of
/// ``EntityLayout/family``, the columns of the properties that it adds, as far as ``EntityLayout/mask(of:wanted:)`` has
/// them; and last the name of the row's own entity. After the terms of ``sort`` the primary key decides, so that the order of equal rows is stable.
package struct FetchRequest: Sendable {
  package let entity: EntityLayout
  package var selection: FetchSelection
  package var sort: [SortTerm]
  /// The most rows to return; nil for all.
  package var limit: Int?
  package var offset: Int
  /// The properties whose columns are wanted.
  package var mask: UInt64
  /// Whether rows of entities that inherit from the entity are meant too. A look-up by key always means them.
  package var includesSubentities: Bool
  /// Whether the request is given up when it takes long and its task is cancelled. Not so what a model needs to be read
  /// or a save to be written: that is done to the end.
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

  /// Whether every row of the entity is wanted.
  package var meansEverything: Bool {
    guard case .all = selection else { return false }
    return limit == nil && offset == 0
  }
}

/// Which rows of an entity are meant.
package enum FetchSelection: Sendable {
  case all
  case matching(QueryTree)
  /// One row by its primary key, which goes past predicates.
  case key(Int64)
  /// The rows of several primary keys, in no order.
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
