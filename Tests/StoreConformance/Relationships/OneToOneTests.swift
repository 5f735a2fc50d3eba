import SwiftData
import Testing

@Suite("One-to-one relationships", .serialized)
struct OneToOneTests {
  /// Ada drives the Austin and Bob drives the Bentley. Cid has no car, and the Citroën has no driver.
  private func scene(_ situation: Situation) throws -> Scene {
    let drivers = ["Ada", "Bob", "Cid"].map { Driver($0) }
    let cars = ["Austin", "Bentley", "Citroën"].map { Car($0) }
    drivers[0].car = cars[0]
    cars[1].driver = drivers[1]
    return try Scene(situation, drivers + cars)
  }

  private func expect(
    _ scene: Scene, _ pairs: [String: String], location: SourceLocation = #_sourceLocation
  ) throws {
    for driver in try scene.find(["Ada", "Bob", "Cid"], Driver.self) {
      #expect(driver.car?.name == pairs[driver.name], "the car of \(driver.name)", sourceLocation: location)
    }
    for car in try scene.find(["Austin", "Bentley", "Citroën"], Car.self) {
      let driver = pairs.first { $0.value == car.name }?.key
      #expect(car.driver?.name == driver, "the driver of \(car.name)", sourceLocation: location)
    }
  }

  @Test("setting a reference sets the inverse reference", arguments: Situation.all)
  func set(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.nowAndLater { try expect(scene, ["Ada": "Austin", "Bob": "Bentley"]) }
  }

  @Test("setting the inverse reference sets the reference", arguments: Situation.all)
  func setSecond(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("Citroën", Car.self).driver = try scene.find("Cid")
    try scene.nowAndLater { try expect(scene, ["Ada": "Austin", "Bob": "Bentley", "Cid": "Citroën"]) }
  }

  @Test("setting either reference to nil sets the other reference to nil", arguments: Situation.all)
  func unset(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("Ada", Driver.self).car = nil
    try scene.find("Bentley", Car.self).driver = nil
    try scene.nowAndLater { try expect(scene, [:]) }
  }

  @Test(
    "relating an object to a partner of another object sets the other object's reference to nil",
    arguments: Situation.all)
  func steal(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("Cid", Driver.self).car = try scene.find("Austin")
    try scene.nowAndLater { try expect(scene, ["Cid": "Austin", "Bob": "Bentley"]) }
  }

  @Test(
    "if two objects that both have partners are related, the references of their former partners become nil",
    arguments: Situation.all)
  func stealWithLoss(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("Ada", Driver.self).car = try scene.find("Bentley")
    try scene.nowAndLater { try expect(scene, ["Ada": "Bentley"]) }
  }

  @Test(
    "setting the inverse reference to an object that has a partner sets the partner's reference to nil",
    arguments: Situation.all)
  func stealFromSecondSide(_ situation: Situation) throws {
    let scene = try scene(situation)
    try scene.find("Austin", Car.self).driver = try scene.find("Bob")
    try scene.nowAndLater { try expect(scene, ["Bob": "Austin"]) }
  }

  @Test("two objects can exchange their partners", arguments: Situation.all)
  func exchange(_ situation: Situation) throws {
    let scene = try scene(situation)
    let ada: Driver = try scene.find("Ada")
    let bob: Driver = try scene.find("Bob")
    let (first, second) = (ada.car, bob.car)
    (ada.car, bob.car) = (second, first)
    try scene.nowAndLater { try expect(scene, ["Ada": "Bentley"].merging(["Bob": "Austin"]) { $1 }) }
  }

  @Test("setting the same partner again changes nothing", arguments: Situation.all)
  func same(_ situation: Situation) throws {
    let scene = try scene(situation)
    let ada: Driver = try scene.find("Ada")
    ada.car = ada.car
    try scene.nowAndLater { try expect(scene, ["Ada": "Austin", "Bob": "Bentley"]) }
  }

  @Test("deleting an object immediately sets the reference of its partner to nil", arguments: Engine.allCases)
  func delete(_ engine: Engine) throws {
    let scene = try scene(Situation(engine: engine, stage: .saved))
    let car: Car = try scene.find("Austin")
    scene.context.delete(try scene.find("Ada", Driver.self))
    #expect(car.driver == nil)
    try scene.context.save()
    #expect(try scene.store.context().one("Austin", Car.self).driver == nil)
  }

  @Test(
    "deleting the object at the inverse end immediately sets the reference of its partner to nil",
    arguments: Engine.allCases)
  func deleteSecond(_ engine: Engine) throws {
    let scene = try scene(Situation(engine: engine, stage: .saved))
    let driver: Driver = try scene.find("Bob")
    scene.context.delete(try scene.find("Bentley", Car.self))
    #expect(driver.car == nil)
    try scene.context.save()
    let other = scene.store.context()
    #expect(try other.one("Bob", Driver.self).car == nil)
    #expect(try other.names(of: Car.self) == ["Austin", "Citroën"])
  }
}
