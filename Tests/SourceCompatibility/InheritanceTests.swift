import SwiftData
import Testing

@Suite("Shapes of subclasses")
struct InheritanceTests {
  @Test("A hierarchy may have three levels, with a subclass that is declared before its superclass") func threeLevels()
    throws
  {
    try roundTrip(SportsCar(name: "a", doors: 2, topSpeed: 300), with: [Vehicle.self, Car.self]) {
      #expect($0.name == "a")
      #expect($0.wheels == 4)
      #expect($0.doors == 2)
      #expect($0.topSpeed == 300)
      #expect($0.nickname == nil)
    }
  }

  @Test("Properties of every level can be changed") func changes() throws {
    try roundTrip(changing: SportsCar(name: "a", doors: 2, topSpeed: 300)) {
      $0.name = "b"
      $0.plate = "p"
      $0.nickname = "n"
    } then: {
      #expect($0.name == "b")
      #expect($0.plate == "p")
      #expect($0.nickname == "n")
      #expect($0.topSpeed == 300)
    }
  }

  @Test("The associated type Root is the root of the hierarchy") func root() {
    func root<T: PersistentModel>(_ type: T.Type) -> String { "\(T.Root.self)" }
    #expect(root(Vehicle.self) == "Vehicle")
    #expect(root(SportsCar.self) == "Vehicle")
    #expect(root(Person.self) == "Person")
  }

  @Test("A protocol may be written first in the inheritance clause, where a superclass may be") func protocolFirst()
    throws
  {
    try roundTrip(changing: Person(name: "a", age: 3)) {
      $0.age = 4
    } then: {
      #expect($0.name == "a")
      #expect($0.age == 4)
    }
  }

  @Test("Public models of another module, nested models and Codable models can have subclasses") func others() throws {
    try roundTrip(Garden.Tree(name: "oak", height: 12)) {
      #expect($0.name == "oak")
      #expect($0.height == 12)
      #expect($0.isTall)
      #expect($0.observed == 1)
    }
    let data = try JSONEncoder().encode(Rose(name: "rose", colour: "red"))
    let rose = try JSONDecoder().decode(Rose.self, from: data)
    try roundTrip(rose) {
      #expect($0.name == "rose")
      #expect($0.colour == "red")
    }
    try roundTrip(changing: LocalMemo(text: "t", stars: 3)) {
      $0.text = "u"
      $0.read()
    } then: {
      #expect($0.text == "u")
      #expect($0.stars == 4)
      #expect($0.isRead)
    }
  }
}
