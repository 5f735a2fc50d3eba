import PersistenceSupport

extension _PersistenceRuntime {
  /// The functions by which an engine provides the columns of its current row.
  ///
  /// Plain C functions: generated loops call the engine's column accessors without Swift calls, existentials or
  /// generics in between. SQLite's functions are used directly. An engine never frees this table (decision 3).
  @frozen
  public struct ColumnReadFunctions: Sendable {
    /// A cursor of a result: a statement, or the engine's equivalent.
    public typealias Row = OpaquePointer?

    /// Moves to the next row. Returns ``rowCode``, ``doneCode`` or an error code of the engine.
    public let step: @convention(c) @Sendable (Row) -> Int32
    public let rowCode: Int32
    public let doneCode: Int32
    /// The ``StorageClass`` of a column's value, as its raw value.
    public let storageClass: @convention(c) @Sendable (Row, Int32) -> Int32
    public let integer: @convention(c) @Sendable (Row, Int32) -> Int64
    public let real: @convention(c) @Sendable (Row, Int32) -> Double
    /// The UTF-8 bytes of a column, valid until the next step; null for NULL.
    public let text: @convention(c) @Sendable (Row, Int32) -> UnsafePointer<UInt8>?
    /// The bytes of a column, valid until the next step; null for NULL or no bytes.
    public let blob: @convention(c) @Sendable (Row, Int32) -> UnsafeRawPointer?
    /// The number of bytes of the text or blob that was read last.
    public let count: @convention(c) @Sendable (Row, Int32) -> Int32

    public init(
      step: @escaping @convention(c) @Sendable (Row) -> Int32,
      rowCode: Int32,
      doneCode: Int32,
      storageClass: @escaping @convention(c) @Sendable (Row, Int32) -> Int32,
      integer: @escaping @convention(c) @Sendable (Row, Int32) -> Int64,
      real: @escaping @convention(c) @Sendable (Row, Int32) -> Double,
      text: @escaping @convention(c) @Sendable (Row, Int32) -> UnsafePointer<UInt8>?,
      blob: @escaping @convention(c) @Sendable (Row, Int32) -> UnsafeRawPointer?,
      count: @escaping @convention(c) @Sendable (Row, Int32) -> Int32
    ) {
      self.step = step
      self.rowCode = rowCode
      self.doneCode = doneCode
      self.storageClass = storageClass
      self.integer = integer
      self.real = real
      self.text = text
      self.blob = blob
      self.count = count
    }
  }
}

/// A reader without columns. Reading an object with it turns the object's properties into faults.
package enum NullRowReader {
  /// Creates an object whose slots are all faults.
  package static func make<T: PersistentModel>(_ type: T.Type, in map: IdentityMap) -> T {
    let session = ReadSession(identityMap: map, error: { _ in .storeFailure })
    session.isComplete = true
    return withExtendedLifetime(session) {
      let rows = EngineRows(row: row, functions: functions, error: { _ in .storeFailure })
      var reader = RowReader(rows, session: session, mask: 0)
      return T._$make(&reader)
    }
  }

  /// Turns the relationships of objects into faults. All other values stay.
  package static func releaseRelationships<T: PersistentModel>(of objects: some Sequence<T>, in map: IdentityMap) {
    let session = ReadSession(identityMap: map, releasesRelationships: true, error: { _ in .storeFailure })
    session.isComplete = true
    withExtendedLifetime(session) {
      let rows = EngineRows(row: row, functions: functions, error: { _ in .storeFailure })
      var reader = RowReader(rows, session: session, mask: 0)
      for object in objects { object._$read(&reader) }
    }
  }

  /// Turns properties of an object into faults. Relationships with unsaved changes keep their values.
  package static func release<T: PersistentModel>(_ positions: Range<Int>, of object: T, in map: IdentityMap) {
    guard T._$isGenerated else { return map.ownerType.noteStaleValues(of: object, positions, in: map) }
    let session = ReadSession(
      identityMap: map, releasesRelationships: positions.count == map.entity.properties.count,
      error: { _ in .storeFailure })
    session.released = positions
    session.isComplete = true
    withExtendedLifetime(session) {
      let rows = EngineRows(row: row, functions: functions, error: { _ in .storeFailure })
      var reader = RowReader(rows, session: session, mask: 0)
      reader.current = object._$state
      object._$read(&reader)
    }
    object._$state.pointee.flags.insert(.fault)
  }

  // Both constants are initialised once and never mutated.

  /// A non-null row that the functions below ignore.
  nonisolated(unsafe) private static let row = OpaquePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

  /// Functions that return NULL for every column, and no further row.
  nonisolated(unsafe) private static let functions: UnsafePointer<ColumnReadFunctions> = {
    let functions = UnsafeMutablePointer<ColumnReadFunctions>.allocate(capacity: 1)
    functions.initialize(
      to: ColumnReadFunctions(
        step: { _ in 0 }, rowCode: 1, doneCode: 0, storageClass: { _, _ in StorageClass.null.rawValue },
        integer: { _, _ in 0 }, real: { _, _ in 0 }, text: { _, _ in nil }, blob: { _, _ in nil }, count: { _, _ in 0 })
    )
    return UnsafePointer(functions)
  }()
}

/// The columns that a request reads for one entity: the fetched entity or one of its subentities.
package struct EntityColumns {
  package let layout: EntityLayout
  /// The properties whose columns are in the rows.
  package let mask: UInt64
  /// The first column of each class, from the root to this entity's class.
  package let levels: [ColumnLevel]
  /// The name of the class in the form in which rows store it.
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

  /// The columns of each entity that a request covers. The column after them contains the name of a row's entity.
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

  /// Creates the columns of an entity whose superentity is already in `entities`.
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
