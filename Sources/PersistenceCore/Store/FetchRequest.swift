/// What a store is asked for.
///
/// Rows come back with the primary key as the first column and then the columns of every property in ``mask``, in order
/// of declaration. After the terms of ``sort`` the primary key decides, so that the order of equal rows is stable.
package struct FetchRequest: Sendable {
  package let entity: EntityLayout
  package var selection: FetchSelection
  package var sort: [SortTerm]
  /// The most rows to return; nil for all.
  package var limit: Int?
  package var offset: Int
  /// The properties whose columns are wanted.
  package var mask: UInt64

  package init(
    entity: EntityLayout, selection: FetchSelection = .all, sort: [SortTerm] = [], limit: Int? = nil, offset: Int = 0,
    mask: UInt64 = PropertyMask.all
  ) {
    self.entity = entity
    self.selection = selection
    self.sort = sort
    self.limit = limit
    self.offset = offset
    self.mask = mask
  }

  /// Whether every row of the entity is wanted.
  var meansEverything: Bool {
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
