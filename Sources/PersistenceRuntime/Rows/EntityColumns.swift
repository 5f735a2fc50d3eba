import PersistenceSupport

/// The columns of one entity of a hierarchy in the rows of a request.
package struct EntityColumns {
  package let layout: EntityLayout
  /// The properties whose columns are in the rows.
  package let mask: UInt64
  /// The first columns of each class.
  package let levels: [ColumnLevel]
  /// The name of the class as rows have it.
  private let name: ContiguousArray<UInt8>

  private init(_ layout: EntityLayout, mask: UInt64, levels: [ColumnLevel]) {
    self.layout = layout
    self.mask = mask
    self.levels = levels
    self.name = ContiguousArray(StoredText.form(of: layout.name).utf8)
  }

  package func isNamed(_ other: UnsafeBufferPointer<UInt8>) -> Bool {
    name.count == other.count && name.elementsEqual(other)
  }

  /// The entities that a request covers, and the column after theirs with the name of a row's entity.
  package static func all(of request: FetchRequest) -> ([EntityColumns], nameColumn: Int32) {
    let entity = request.entity
    let mask = entity.mask(of: entity, wanted: request.mask)
    var entities = [EntityColumns(entity, mask: mask, levels: entity.levels(wanted: request.mask) ?? [])]
    var column = ColumnLevel(position: entity.properties.count, in: entity.properties, mask: mask).column
    guard request.includesSubentities else { return (entities, column) }
    for member in entity.family.dropFirst() {
      let next = EntityColumns(member, of: request, at: column, behind: entities)
      column += next.ownColumnCount
      entities.append(next)
    }
    return (entities, column)
  }

  /// An entity whose superentity is among the preceding ones.
  private init(_ layout: EntityLayout, of request: FetchRequest, at column: Int32, behind entities: [EntityColumns]) {
    let inherited = entities.first { $0.layout.name == layout.inheritance?.superentityNames.first }?.levels ?? []
    let own = ColumnLevel(position: layout.inheritance?.firstPosition ?? 0, column: column)
    self.init(layout, mask: request.entity.mask(of: layout, wanted: request.mask), levels: inherited + [own])
  }

  private var ownColumnCount: Int32 {
    let own = layout.properties[(layout.inheritance?.firstPosition ?? 0)...]
    return own.reduce(0) { $1.bit & mask == 0 ? $0 : $0 + Int32($1.columns.count) }
  }
}
