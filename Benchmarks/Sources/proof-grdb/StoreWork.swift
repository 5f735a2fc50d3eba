import Foundation
import GRDB

/// The changes that every program of the proof makes to a store. Tests/Proof/Work.swift makes the same changes with the
/// library.
struct StoreWork {
  private let database: Database

  init(_ database: Database) { self.database = database }

  func add() throws {
    var dora = MakerRow(key: try nextKey(of: "Maker"), name: "dora", born: 1_000.5)
    try dora.insert(database)
    var annex = RoomRow(name: "annex", floor: 2, x: 3.25, y: -4)
    try annex.insert(database)
    let sculpture: [String: (any DatabaseValueConvertible)?] = [
      "_osd_entity": "Sculpture", "name": "new sculpture", "edition": 1, "material": "bronze", "plate_2": 5,
      "maker": dora.key, "room": annex.key,
    ]
    try ExhibitRow(values: ExhibitRow.everything.merging(sculpture) { $1 }).insert(database)
    let key = database.lastInsertedRowID
    let painting: [String: (any DatabaseValueConvertible)?] = [
      "_osd_entity": "Painting", "name": "new painting", "title": "Sea", "edition": 1, "technique": "ink",
      "plate": "plate new", "maker": try self.key("ada", in: "Maker"), "room": try self.key("hall", in: "Room"),
    ]
    try ExhibitRow(values: ExhibitRow.plain.merging(painting) { $1 }).insert(database)
    var loan = LoanRow(name: "new loan", from: 785_764_800, exhibit: try self.key("exhibit 2", in: "Exhibit"))
    try loan.insert(database)
    var label = LabelRow(name: "new label")
    try label.insert(database)
    try update("exhibit 2", "Exhibit", ["label": label.key])
    for topic in ["peace", "war"] {
      var pair = TopicPair(owner: key, target: try self.key(topic, in: "Topic"))
      try pair.insert(database)
    }
  }

  func change() throws {
    try update("exhibit 2", "Exhibit", ExhibitRow.everything)
    try update("exhibit 4", "Exhibit", ["weight": 2.5])
    try update("exhibit 5", "Exhibit", ["huge": Data([0x80, 0, 0, 0, 0, 0, 0, 1]), "origin_city": "Bergen"])
    if var loft = try RoomRow.filter(Column("name") == "loft").fetchOne(database) {
      try loft.updateChanges(database) { ($0.x, $0.y) = (100, 200.5) }
    }
    try update("bo", "Maker", ["born": nil])
    try update("exhibit 11", "Exhibit", ["scan": Data([1, 2])])
    try update("exhibit 7", "Exhibit", ["film": Data()])
    try update("exhibit 16", "Exhibit", ["scan": nil])
  }

  func move() throws {
    let (dora, hall) = (try key("dora", in: "Maker"), try key("hall", in: "Room"))
    let last = try Double.fetchOne(
      database, sql: "SELECT max(coalesce(_osd_position_maker, _osd_key)) FROM Exhibit WHERE maker = ?",
      arguments: [dora])
    try update("exhibit 30", "Exhibit", ["maker": dora, "_osd_position_maker": (last ?? 0) + 1])
    let first = try Double.fetchOne(
      database, sql: "SELECT min(coalesce(_osd_position_room, _osd_key)) FROM Exhibit WHERE room = ?",
      arguments: [hall])
    try update("exhibit 15", "Exhibit", ["_osd_position_room": (first ?? 0) - 1])
    let (owner, target) = (try key("exhibit 2", in: "Exhibit"), try key("peace", in: "Topic"))
    try TopicPair.filter(Column("owner") == owner && Column("target") == target).deleteAll(database)
  }

  func remove() throws {
    for (name, table) in [
      ("cy", "Maker"), ("cellar", "Room"), ("exhibit 21", "Exhibit"), ("label 0", "Label"), ("sea", "Topic"),
      ("a", "Folder"),
    ] {
      let count = try Table(table).filter(Column("name") == name).deleteAll(database)
      guard count == 1 else { throw ProofError("\(count) rows of \(table) were deleted") }
    }
  }

  private func key(_ name: String, in table: String) throws -> Int64 {
    let request = Table(table).filter(Column("name") == name).select(Column("_osd_key"), as: Int64.self)
    guard let key = try request.fetchOne(database) else { throw ProofError("there is no \(name) in \(table)") }
    return key
  }

  private func update(_ name: String, _ table: String, _ values: [String: (any DatabaseValueConvertible)?]) throws {
    let assignments = values.map { column, value in Column(column).set(to: value?.databaseValue ?? .null) }
    let count = try Table(table).filter(Column("name") == name).updateAll(database, assignments)
    guard count == 1 else { throw ProofError("\(count) rows of \(table) were changed") }
  }

  /// Reserves a key that no row has ever had, in the way that docs/the-file.md describes.
  private func nextKey(of entity: String) throws -> Int64 {
    try database.execute(sql: "INSERT OR IGNORE INTO _osd_sequence VALUES (?, 1)", arguments: [entity])
    try database.execute(
      sql: "UPDATE _osd_sequence SET next = max(next, (SELECT coalesce(max(_osd_key), 0) + 1 FROM \(entity))) + 1 "
        + "WHERE entity = ?", arguments: [entity])
    let next = try Int64.fetchOne(
      database, sql: "SELECT next FROM _osd_sequence WHERE entity = ?", arguments: [entity])
    guard let next else { throw ProofError("\(entity) has no sequence") }
    return next - 1
  }
}
