import PersistenceRuntime
import PersistenceSupport

/// Decodes the rows of a request for an entity with subentities. The rows may belong to several classes.
///
/// Each class has its own decoder, which is created for the first row of the class. Used only during one fetch.
struct PolymorphicRowDecoder {
  private let rows: EngineRows
  private let map: IdentityMap
  private let request: FetchRequest
  private let group: FetchGroup?
  private let collection: MemberCollection?
  private let isRepeated: Bool
  private let entities: [EntityColumns]
  /// The index of the column that contains the name of the row's entity.
  private let nameColumn: Int32
  /// The decoder of each class, in the order of ``entities``; nil before the first row of the class.
  private var decoders: [SubclassDecoder?]
  /// The index of the last row's class. It is compared first, because adjacent rows often have the same class.
  private var last = 0

  /// - Parameters:
  ///   - rows: The rows.
  ///   - request: The request.
  ///   - map: The map of the entity.
  ///   - group: The objects of the fetch, whose relationships are later loaded in batches; nil if it has none.
  ///   - collection: The lists to which the objects are added, if the rows are members of to-many relationships.
  ///   - isRepeated: Whether the request is repeated because the file of an external value was missing.
  init(
    _ rows: EngineRows, request: FetchRequest, in map: IdentityMap, group: FetchGroup? = nil,
    collection: MemberCollection? = nil, isRepeated: Bool = false
  ) {
    self.isRepeated = isRepeated
    self.group = group
    self.collection = collection
    self.rows = rows
    self.map = map
    self.request = request
    (entities, nameColumn) = EntityColumns.all(of: request)
    decoders = Array(repeating: nil, count: entities.count)
  }

  /// Creates or updates the context's object for each row. Adds the objects to ``collection`` if it is not nil.
  mutating func decodeAll() throws -> ContiguousArray<AnyObject> {
    var objects: ContiguousArray<AnyObject> = []
    let session = ReadSession(
      identityMap: map, stopsWhenCancelled: request.stopsWhenCancelled, error: rows.error)
    var count: UInt8 = 0
    try withExtendedLifetime(session) {
      var reader = RowReader(rows, session: session, mask: 0)
      while try reader.next() {
        count &+= 1
        if count == 0 { try session.stopIfCancelled() }
        guard reader.key != 0 else {
          reader.leaveOutRow()
          continue
        }
        if let collection, collection.begin(reader) == nil { continue }
        guard let decoder = decoder(of: reader.key, session) else { continue }
        let object = try decoder.object(for: reader.key, as: decoder.map.modelType)
        if let collection {
          reader.collect(.passRetained(object), key: reader.key, in: collection)
        } else {
          objects.append(object)
        }
      }
    }
    complete(session, with: objects)
    return objects
  }

  /// Completes the read session of the whole request, which gets all objects, and the read session of each class.
  private func complete(_ session: ReadSession, with objects: ContiguousArray<AnyObject>) {
    session.complete(with: objects)
    for decoder in decoders { decoder?.complete() }
  }

  /// The identifiers of all rows. No objects are created.
  mutating func identifiers() throws -> [PersistentIdentifier] {
    var identifiers: [PersistentIdentifier] = []
    let session = ReadSession(
      identityMap: map, stopsWhenCancelled: request.stopsWhenCancelled, error: rows.error)
    var count: UInt8 = 0
    try withExtendedLifetime(session) {
      var reader = RowReader(rows, session: session, mask: 0)
      while try reader.next() {
        count &+= 1
        if count == 0 { try session.stopIfCancelled() }
        guard let index = index(of: reader.key, session) else { continue }
        let entity = map.store.storeEntity(of: entities[index].layout)
        identifiers.append(PersistentIdentifier(row: reader.key, of: entity))
      }
    }
    session.isComplete = true
    return identifiers
  }

  /// The decoder for the class of the current row; nil if the row is left out, because its class is unknown.
  private mutating func decoder(of key: Int64, _ session: ReadSession) -> SubclassDecoder? {
    guard let index = index(of: key, session) else { return nil }
    if let known = decoders[index] { return known }
    let columns = entities[index]
    guard let own = map.store.identityMap(for: columns.layout.modelType, beside: map) else {
      session.leaveOut(unknownEntity(columns.layout.name, key), key: key)
      return nil
    }
    let decoder = SubclassDecoder(rows, columns: columns, map: own, group: group, isRepeated: isRepeated)
    decoders[index] = decoder
    return decoder
  }

  /// The index of the entity that the current row names; nil if the row is left out, because the entity is unknown.
  private mutating func index(of key: Int64, _ session: ReadSession) -> Int? {
    let text = rows.functions.pointee.text(rows.row, nameColumn)
    let count = Int(rows.functions.pointee.count(rows.row, nameColumn))
    let name = UnsafeBufferPointer(start: text, count: text == nil ? 0 : count)
    if entities[last].isNamed(name) { return last }
    guard let index = entities.firstIndex(where: { $0.isNamed(name) }) else {
      session.leaveOut(unknownEntity(String(decoding: name, as: UTF8.self), key), key: key)
      return nil
    }
    last = index
    return index
  }

  private func unknownEntity(_ name: String, _ key: Int64) -> SwiftDataError {
    SwiftDataError(
      .corruptValue,
      "row \(key) of \(map.entity.name) is left out: it is of the entity '\(name)', which the schema does not have among "
        + "those that inherit from \(map.entity.name); list its model when the container is made, or change the row")
  }
}

private final class SubclassDecoder {
  let map: IdentityMap
  private let session: ReadSession
  private let reader: RowReader

  init(_ rows: EngineRows, columns: EntityColumns, map: IdentityMap, group: FetchGroup?, isRepeated: Bool) {
    self.map = map
    session = ReadSession(
      identityMap: map, wanted: columns.mask, group: group, levels: columns.levels, isRepeated: isRepeated,
      error: rows.error)
    reader = RowReader(rows, session: session, mask: columns.mask)
  }

  /// The registered object of a row; nil if the row has changed its class, so that the object has another class.
  private func ownObject<T: PersistentModel>(for key: Int64) -> T? {
    guard let known = map.object(for: key).map({ unsafeDowncast($0, to: T.self) }),
      known._$state.pointee.identityMap === map
    else { return nil }
    return known
  }

  /// Marks the session as complete, because the caller has all objects of the rows.
  func complete() { session.isComplete = true }

  /// The object of the current row, created or updated from the row.
  func object<T: PersistentModel>(for key: Int64, as type: T.Type) throws -> AnyObject {
    var reader = reader
    let object: T
    if let known: T = ownObject(for: key) {
      object = known
      reader.refresh(object)
    } else {
      reader.column = 1
      object = T._$make(&reader)
      if map.isRoot { map.letGoOfFormer(at: key, for: object, ofOtherClasses: true) }
      object._$register(key, in: map, flags: session.isPartial ? .fault : [])
    }
    if let group = session.group { object._$join(group, key: key) }
    if reader.hasFailed.pointee { try session.settle(object, mask: reader.knownMask) }
    return object
  }
}
