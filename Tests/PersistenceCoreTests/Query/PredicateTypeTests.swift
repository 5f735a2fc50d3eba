import Foundation
import PersistenceCore
import Testing

@Suite("Types in predicates")
struct PredicateTypeTests {
  // The entities of a hierarchy are ordered by name, independent of the order in which the schema lists the models. So
  // the entity numbers are: Vehicle 0, Bus 1, Truck 2.
  private func nodes(_ predicate: Predicate<Vehicle>) throws -> [QueryNode] {
    let layouts = try EntityLayout.layouts(of: Schema(Vehicle.self, Truck.self, Bus.self))
    return try PredicateTranslator.translate(predicate, entity: layouts[0]).nodes
  }

  @Test("'is' tests the entity of the row")
  func typeCheck() throws {
    #expect(try nodes(#Predicate { $0 is Truck }) == [.isEntity(2)])
    #expect(try nodes(#Predicate { !($0 is Bus) }) == [.isEntity(1), .not])
  }

  @Test("a property of the subclass needs no test of the entity, so the query can use the property's index")
  func ownProperty() throws {
    let nodes = try nodes(#Predicate { ($0 as? Truck)?.load == 3 })
    #expect(nodes == [.memberProperty(2, 1), .value(.integer), .equal])
  }

  @Test("an inherited property of a subclass needs a test of the entity")
  func inheritedProperty() throws {
    let nodes = try nodes(#Predicate { ($0 as? Bus)?.wheels == 4 })
    #expect(nodes == [.isEntity(1), .property(0), .null, .conditional, .value(.integer), .equal])
  }

  @Test("a class that is not in the schema is untranslatable")
  func unknownClass() throws {
    let layouts = try EntityLayout.layouts(of: Schema(Vehicle.self, Bus.self))
    let predicate = #Predicate<Vehicle> { $0 is Truck }
    #expect(throws: UntranslatableExpression.self) {
      try PredicateTranslator.translate(predicate, entity: layouts[0])
    }
  }
}
