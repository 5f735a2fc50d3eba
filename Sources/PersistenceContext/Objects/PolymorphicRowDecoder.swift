import PersistenceRuntime
import PersistenceSupport

/// Decodes the rows of a request for an entity with subentities. The rows belong to several classes.
///
/// Each class has its own decoder, created for the first row of the class. Confined to one call.
struct PolymorphicRowDecoder {
  private let rows: EngineRows
  private let map: IdentityMap
  private let request: FetchRequest
  private let group: FetchGroup?
  private let collection: MemberCollection?
  private let isRepeated: Bool
  private let entities: [EntityColumns]
  /// The index of the column with the name of the row's entity.
  private let nameColumn: Int32
  /// The decoder of each class, at the index of its entity.
  private var decoders: [SubclassDecoder?]
  /// The index of the class of the last row, because rows of one class are often adjacent.
  private var last = 0

  /// - Parameters:
  ///   - rows: The rows.
  ///   - request: The request.
  ///   - map: The map of the entity.
  ///   - group: The prefetch group of the objects; nil if they have no relationships to load together.
  ///   - collection: The lists for the objects, if the rows are members of relationships.
  ///   - isRepeated: Whether the request is repeated because a file was missing.
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

  /// Decodes every row to the context's object. Members of relationships are added to the lists of ``collection``.
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

  /// Completes the sessions of all classes. The session of the map contains the objects of all classes.
  private func complete(_ session: ReadSession, with objects: ContiguousArray<AnyObject>) {
    session.complete(with: objects)
    for decoder in decoders { decoder?.complete() }
  }

  /// The identifiers of all rows, without objects.
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

  /// The decoder of the current row's class; nil if the row is left out.
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

  /// The index of the class that the current row names; nil if the row is left out.
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

/// Decodes the rows of one class.
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

  /// The registered object of a row, if it is of this class. The class of a row may have changed.
  private func ownObject<T: PersistentModel>(for key: Int64) -> T? {
    guard let known = map.object(for: key).map({ unsafeDowncast($0, to: T.self) }),
      known._$state.pointee.identityMap === map
    else { return nil }
    return known
  }

  /// Records that the caller has all objects of the rows.
  func complete() { session.isComplete = true }

  /// The object of the current row.
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
