import PersistenceRuntime
import PersistenceSupport

/// Snapshots of one entity that are written to the mirror: new rows, and changes of existing rows.
///
/// An existing row is updated and not replaced, so that it keeps its position in the list of an unchanged owner.
/// Contexts have read that position, and saves rely on it (``RelationshipChanges``).
struct MirrorBatch {
  private(set) var new: [MirrorRow] = []
  /// The changed rows, by the mask of the written properties.
  private var changed: [UInt64: [MirrorRow]] = [:]
  /// The owners in whose lists rows need a position: by the index of the reference property, then by row.
  private(set) var arrivals: [Int: [Int64: Int64]] = [:]
  private let references: [RelationshipLayout]
  private let writer: MirrorWriter

  /// - Parameters:
  ///   - rows: The snapshots.
  ///   - known: The values of the references in the existing rows.
  ///   - references: The references to owners with ordered lists.
  ///   - writer: Writes the rows.
  /// - Throws: `SwiftDataError` for a reference that breaks the contract.
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
        // References that share a mask bit are always written. With the same owner, the row keeps its position.
        if reference.position < PropertyMask.sharedPosition { mask &= ~PropertyMask.bit(reference.position) }
      } else if let owner {
        arrivals[reference.position, default: [:]][row.key] = owner
      }
    }
    if known == nil { new.append(row) } else { changed[mask, default: []].append(row) }
  }

  /// Drops changes of existing rows, and new rows that are not wanted.
  mutating func keepNew(_ isWanted: (Int64) -> Bool) {
    changed = [:]
    new.removeAll { !isWanted($0.key) }
    let kept = Set(new.map(\.key))
    arrivals = arrivals.mapValues { $0.filter { kept.contains($0.key) } }
  }

  // MARK: Writing

  /// - Throws: ``UniqueValueTaken``, or `SwiftDataError` for a snapshot that breaks the contract.
  func write(to transaction: any StoreTransaction) throws {
    for (mask, rows) in changed { try writer.update(rows, mask: mask, in: transaction) }
    try writer.insert(new, in: transaction)
  }

  /// Writes rows again, because some rows have unique values that other rows among them had before.
  ///
  /// - Throws: The errors of ``write(to:)``.
  func writeExchanging(to transaction: any StoreTransaction) throws {
    try transaction.delete(from: entity, keys: new.map(\.key))
    try transaction.vacate(entity, mask: entity.uniqueMask, keys: changed.values.joined().map(\.key))
    try write(to: transaction)
  }

  /// Turns all rows into new ones, after the mirror has deleted the existing rows.
  mutating func becomeNew() throws {
    self = try MirrorBatch(rows, known: [:], references, writer)
  }
}
