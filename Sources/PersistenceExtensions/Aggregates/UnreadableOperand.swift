import PersistenceContext
import PersistenceQueries
import PersistenceRuntime
import PersistenceSupport

/// Finds the row with the stored value that an aggregate could not read, for the error message. The result of the
/// aggregate does not contain the key of that row.
struct UnreadableOperand {
  /// A column that the aggregate reads.
  private struct Column {
    let entity: EntityLayout
    let selection: FetchSelection
    let position: Int
    /// The index of the column among the columns of its property.
    let index: Int
  }

  let request: AggregateRequest
  let map: IdentityMap
  let context: ModelContext

  /// The error of the first row whose value the property cannot hold; nil if no such row is found.
  var error: SwiftDataError? {
    let operands = [request.group].compactMap { $0 } + request.columns.compactMap(\.operand)
    for column in operands.flatMap(columns) {
      if let found = try? error(in: column) { return found }
    }
    return nil
  }

  private func columns(of operand: AggregateOperand) -> [Column] {
    switch operand {
    case .column(let term):
      guard let last = term.steps.last else { return [column(term.property, term.column)] }
      guard let entity = map.store.layout(named: last.destination) else { return [] }
      return [Column(entity: entity, selection: .all, position: term.property, index: term.column)]
    case .tree(let tree):
      return tree.nodes.compactMap { node in
        switch node {
        case .property(let position): column(position, 0)
        case .member(let position, let index): column(position, index)
        default: nil
        }
      }
    }
  }

  private func column(_ position: Int, _ index: Int) -> Column {
    Column(entity: map.entity, selection: request.selection, position: position, index: index)
  }

  private func error(in column: Column) throws -> SwiftDataError? {
    let property = column.entity.properties[column.position]
    let part = property.composite?.parts.first { $0.column == column.index && $0.inner == nil }
    let type = PropertyType(part?.type ?? property.valueType).wrapped
    guard let map = map.store.identityMap(for: column.entity.modelType, beside: map), !property.isRelationship,
      property.columns.indices.contains(column.index), let read = StoredValueReading.reader(of: type, nil)
    else { return nil }
    let request = FetchRequest(entity: column.entity, selection: column.selection, mask: property.bit)
    var error: SwiftDataError?
    try map.store.fetch(request, in: context.openTransaction(of: map.store)) { rows in
      let session = ReadSession(
        identityMap: map, levels: column.entity.levels(wanted: request.mask), error: rows.error)
      try withExtendedLifetime(session) {
        var reader = RowReader(rows, session: session, mask: request.mask)
        while error == nil, try reader.next() {
          let place = reader.firstColumn(of: property.position) + Int32(column.index)
          let isMissing = reader.storageClass(place) == .null
          if isMissing ? property.columns[column.index].isOptional : read(reader, place) != nil { continue }
          reader.reportUnreadable(property.position, place, type)
          error = session.failure.takeAll().first?.error
        }
      }
    }
    return error
  }
}
