import PersistenceCore
import Testing

@Suite("Inverses")
struct SchemaInverseTests {
  func relationship(_ entity: String, _ name: String, of schema: Schema) throws -> Schema.Relationship {
    try #require(schema.entitiesByName[entity]?.relationshipsByName[name])
  }

  @Test("an inverse that is declared on one side applies to both")
  func explicit() throws {
    let schema = Schema(Trip.self)
    #expect(try relationship("Traveller", "trips", of: schema).inverseName == "owner")
    #expect(try relationship("Trip", "owner", of: schema).inverseName == "trips")
  }

  @Test("a relationship can be its own inverse")
  func selfInverse() throws {
    #expect(try relationship("Traveller", "friends", of: Schema(Trip.self)).inverseName == "friends")
  }

  @Test("inverses are inferred for the only two relationships between two entities")
  func inferred() throws {
    let schema = Schema(Stop.self)
    let stops = try relationship("Trip", "stops", of: schema)
    #expect(stops.inverseName == "trip")
    #expect(stops.deleteRule == .cascade)
    #expect(!stops.isToOneRelationship)
    let trip = try relationship("Stop", "trip", of: schema)
    #expect(trip.inverseName == "stops")
    #expect(trip.isToOneRelationship && trip.isOptional)
    #expect(trip.inverseKeyPath == \Trip.stops)
  }

  @Test("a relationship without a candidate for its inverse has none")
  func remainder() throws {
    #expect(try relationship("Traveller", "invited", of: Schema(Trip.self)).inverseName == nil)
  }

  @Test("no inverse is inferred between required ends, between to-many ends, or within one entity")
  func notInferred() throws {
    let schema = Schema(School.self)
    try schema.validate()
    let ends = [("School", "students"), ("Student", "courses"), ("Course", "students"), ("Course", "sequel")]
    for (entity, name) in ends {
      #expect(try relationship(entity, name, of: schema).inverseName == nil)
    }
  }

  @Test("several candidates for an inverse are a contradiction, which is reported once for the pair")
  func ambiguous() {
    let problems = Schema(Team.self).problems
    #expect(problems.map(\.kind) == [.ambiguousInverse])
    #expect(problems.first?.description.contains("Player.team") == true)
  }

  @Test("an inverse that is not a relationship, or has another destination, is a contradiction")
  func wrongInverse() {
    let problems = Schema(Letter.self).problems
    #expect(Set(problems.map(\.kind)) == [.inverseDoesNotLeadBack, .inverseIsNoRelationship])
    #expect(problems.count == 2)
  }

  @Test("inverses declared on both sides must agree")
  func disagreement() {
    func relationship(_ name: String, _ destination: String, _ inverse: String?) -> Schema.Relationship {
      let relationship = Schema.Relationship()
      relationship.name = name
      relationship.originalName = name
      relationship.destination = destination
      relationship.inverseName = inverse
      return relationship
    }
    let schema = Schema(
      Schema.Entity("A", properties: relationship("one", "B", "a"), relationship("two", "B", "a")),
      Schema.Entity("B", properties: relationship("a", "A", "one"))
    )
    #expect(schema.problems.map(\.kind) == [.inversesDisagree])
    #expect(schema.problems.first?.property == "two")
  }
}
