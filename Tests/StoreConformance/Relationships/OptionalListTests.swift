import SwiftData
import Testing

@Suite("Optional to-many relationships", .serialized)
struct OptionalListTests {
  private func scene(_ situation: Situation) throws -> Scene {
    let garden = Garden("garden")
    let plants = named("abcdef") { Plant($0) }
    garden.plants = Array(plants[0..<4])
    return try Scene(situation, [garden, Garden("bare")] + plants)
  }

  private func expect(_ scene: Scene, _ plants: String, location: SourceLocation = #_sourceLocation) throws {
    #expect(try scene.find("garden", Garden.self).plants?.names ?? [] == letters(plants), sourceLocation: location)
    for plant in try scene.find(letters("abcdef"), Plant.self) {
      let garden = plants.contains(plant.name) ? "garden" : nil
      #expect(plant.garden?.name == garden, "the garden of \(plant.name)", sourceLocation: location)
    }
  }

  @Test(
    "every change of an optional list in place changes the other side, in memory and in the store",
    arguments: Situation.all, ListEdit.allCases)
  func listEdits(_ situation: Situation, _ edit: ListEdit) throws {
    let scene = try scene(situation)
    let garden: Garden = try scene.find("garden")
    try #require(garden.plants != nil)
    edit.apply(to: &garden.plants!, others: try scene.find(["e", "f"])) { $0.name > $1.name }
    let wanted = edit.result(letters("abcd"), others: ["e", "f"]).joined()
    try scene.nowAndLater { try expect(scene, wanted) }
  }

  @Test("relating to an object whose list is nil creates the list", arguments: Situation.all)
  func listOfNil(_ situation: Situation) throws {
    let scene = try scene(situation)
    let plant: Plant = try scene.find("f")
    plant.garden = try scene.find("bare")
    try scene.nowAndLater { () throws in
      #expect(try scene.find("bare", Garden.self).plants?.names == ["f"])
      #expect(try scene.find("f", Plant.self).garden?.name == "bare")
    }
  }

  @Test("setting a list to nil removes all members", arguments: Situation.all)
  func setNil(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("garden", Garden.self).plants = nil
    try scene.nowAndLater { try expect(scene, "") }
  }

  @Test("optional chaining appends to a list", arguments: Situation.all)
  func chaining(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("garden", Garden.self).plants?.append(try scene.find("f"))
    try scene.nowAndLater { try expect(scene, "abcdf") }
  }
}
