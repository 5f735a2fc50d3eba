import SwiftData
import Testing

@Suite("The table of a hierarchy")
struct HierarchyTableTests {
  /// A statement that a person might try on the file.
  private func stored(_ store: TestStore, _ query: String) throws -> String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.standardOutput = output
    process.arguments = [
      "python3", "-c",
      "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute(sys.argv[2]): print(*row)",
      store.configuration.url.path, query,
    ]
    try process.run()
    process.waitUntilExit()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    return String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("all classes share the table of the root, which names the class of a row and lacks what it has not")
  func table() throws {
    let store = try TestStore(.file, vehicleModels)
    try store.saveVehicles()
    let rows = try stored(store, "SELECT _osd_key, _osd_entity, name, wheels, doors, topSpeed, size_2 FROM Vehicle")
    #expect(
      rows == """
        1 Vehicle Cart 4 None None None
        2 Motorcar Beetle 4 3 None None
        3 SportsCar Testarossa 4 2 290.0 None
        4 Truck Actros 6 None None 18
        5 Bicycle Roadster 2 None None None
        """)
    let tables = try stored(store, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%link%'")
    #expect(Set(tables.split(separator: "\n")) == ["_osd_metadata", "_osd_sequence", "Vehicle", "Garage", "Part"])
  }

  @Test("a fetch by a class reads its rows by an index, and own properties by theirs")
  func indexes() throws {
    let store = try TestStore(.file, vehicleModels)
    try store.saveVehicles()
    let byClass = try stored(store, "EXPLAIN QUERY PLAN SELECT * FROM Vehicle WHERE _osd_entity = 'Truck'")
    #expect(byClass.contains("USING INDEX _osd_entity_Vehicle"))
    let byDoors = try stored(store, "EXPLAIN QUERY PLAN SELECT * FROM Vehicle WHERE doors = 3")
    #expect(byDoors.contains("USING INDEX _osd_index_Motorcar_doors"))
  }

  @Test("a row of a class that the schema lacks is reported in words")
  func unknownClass() throws {
    let store = try TestStore(.file, vehicleModels)
    try store.saveVehicles()
    try store.tamper("UPDATE Vehicle SET _osd_entity = 'Ship' WHERE _osd_key = 2")
    let error = #expect(throws: SwiftDataError.self) { try store.context().fetch(FetchDescriptor<Vehicle>()) }
    #expect(error?.explanation?.contains("'Ship'") == true)
    #expect(try store.context().vehicles(Truck.self) == ["Truck Actros"])
  }
}
