import PersistenceRuntime
import PersistenceSupport

/// Snapshots of one entity, to be written to the mirror (the cache of a store's rows) as new or as changed rows.
///
/// An existing row is updated instead of replaced, so that it keeps its position in a list whose owner is unchanged.
/// Contexts have read that position, and saves rely on it (``RelationshipChanges``).
struct MirrorBatch {
  private(set) var new: [MirrorRow] = []
  /// The changed rows, by the mask of the properties that are written.
  private var changed: [UInt64: [MirrorRow]] = [:]
  /// The rows that have entered an ordered list and need a position in it. Maps the index of the to-one property, and
  /// the key of such a row, to the key of the row that owns the list.
  private(set) var arrivals: [Int: [Int64: Int64]] = [:]
  private let references: [RelationshipLayout]
  private let writer: MirrorWriter

  /// - Parameters:
  ///   - rows: The snapshots.
  ///   - known: For each existing row by its key, the keys to which its `references` refer in the mirror.
  ///   - references: The to-one relationships whose inverses are ordered lists.
  ///   - writer: The writer of the rows.
  /// - Throws: `SwiftDataError` for a reference that breaks a rule of the ``StoreContract``.
  init(
    _ rows: [MirrorRow], known: [Int64: [Int64?]], _ references: [RelationshipLayout], _ writer: MirrorWriter
  ) throws {
    self.references = references
    self.writer = writer
    for row in rows { try add(row, known[row.key]) }
  }

  var entity: EntityLayout { writer.entity }
  var isEmpty: Bool { new.isEmpty && changed.isEmpty }
  var rows: [MirrorRow] { new + changed.values.joined() }

  private mutating func add(_ row: MirrorRow, _ known: [Int64?]?) throws {
    var mask = PropertyMask.all
    for (index, reference) in references.enumerated() {
      let owner = try writer.key(at: reference, of: row)
      if let known, known[index] == owner {
        // The owner is unchanged. The update omits this column, so that the row keeps its position in the owner's list.
        // This is impossible for a reference that shares its bit of the mask with other properties.
        if reference.position < PropertyMask.sharedPosition { mask &= ~PropertyMask.bit(reference.position) }
      } else if let owner {
        arrivals[reference.position, default: [:]][row.key] = owner
      }
    }
    if known == nil { new.append(row) } else { changed[mask, default: []].append(row) }
  }

  /// Removes all changes of existing rows, and the new rows for which the closure returns false.
  mutating func keepNew(_ isWanted: (Int64) -> Bool) {
    changed = [:]
    new.removeAll { !isWanted($0.key) }
    let kept = Set(new.map(\.key))
    arrivals = arrivals.mapValues { $0.filter { kept.contains($0.key) } }
  }

  // MARK: Writing

  /// - Throws: ``UniqueValueTaken``, or `SwiftDataError` for a snapshot that breaks a rule of the ``StoreContract``.
  func write(to transaction: any StoreTransaction) throws {
    for (mask, rows) in changed { try writer.update(rows, mask: mask, in: transaction) }
    try writer.insert(new, in: transaction)
  }

  /// Clears the old unique values of the batch's rows in the mirror, and writes the rows again. This succeeds if rows
  /// of the batch have exchanged their unique values.
  ///
  /// - Throws: The errors of ``write(to:)``.
  func writeExchanging(to transaction: any StoreTransaction) throws {
    try transaction.delete(from: entity, keys: new.map(\.key))
    try transaction.vacate(entity, mask: entity.uniqueMask, keys: changed.values.joined().map(\.key))
    try write(to: transaction)
  }

  /// Turns all rows of the batch into new rows. The caller has deleted the existing rows from the mirror.
  mutating func becomeNew() throws {
    self = try MirrorBatch(rows, known: [:], references, writer)
  }
}
