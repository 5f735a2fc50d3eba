import SwiftData
import Testing

@Suite("The table of a hierarchy")
struct HierarchyTableTests {
  @Test("all classes share the table of the root, with the class in each row and NULL in columns of other classes")
  func table() throws {
    let store = try TestStore(.file, vehicleModels)
    try store.saveVehicles()
    let rows = try store.stored("SELECT _osd_key, _osd_entity, name, wheels, doors, topSpeed, size_2 FROM Vehicle")
    #expect(
      rows == [
        "1 Vehicle Cart 4 None None None",
        "2 Motorcar Beetle 4 3 None None",
        "3 SportsCar Testarossa 4 2 290.0 None",
        "4 Truck Actros 6 None None 18",
        "5 Bicycle Roadster 2 None None None",
      ])
    let tables = try store.stored("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '%link%'")
    #expect(Set(tables) == ["_osd_metadata", "_osd_sequence", "_osd_history", "Vehicle", "Garage", "Part"])
  }

  @Test("a fetch by a class uses the index of classes, and indexes of its own properties")
  func indexes() throws {
    let store = try TestStore(.file, vehicleModels)
    try store.saveVehicles()
    let byClass = try store.stored("EXPLAIN QUERY PLAN SELECT * FROM Vehicle WHERE _osd_entity = 'Truck'")
    #expect(byClass.joined().contains("USING INDEX _osd_entity_Vehicle"))
    let byDoors = try store.stored("EXPLAIN QUERY PLAN SELECT * FROM Vehicle WHERE doors = 3")
    #expect(byDoors.joined().contains("USING INDEX _osd_index_Motorcar_doors"))
  }

  @Test("a row of a class that is not in the schema is skipped, with a descriptive error")
  func unknownClass() throws {
    let store = try TestStore(.file, vehicleModels)
    try store.saveVehicles()
    try store.tamper("UPDATE Vehicle SET _osd_entity = 'Ship' WHERE _osd_key = 2")
    let context = store.context()
    #expect(try context.fetch(FetchDescriptor<Vehicle>()).count == 4)
    #expect(context.unreadValues.first?.error.explanation?.contains("'Ship'") == true)
    #expect(try store.context().vehicles(Truck.self) == ["Truck Actros"])
  }
}
