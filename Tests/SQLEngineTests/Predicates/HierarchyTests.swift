import Foundation
import PersistenceCore
import Testing

@Suite("Hierarchies as SQL")
struct HierarchyTests {
  private let dialects: Dialects

  init() throws { dialects = try Dialects(Models.vehicles) }

  static let rootCases: [PredicateCase<Vehicle>] = [
    .init("its own property", #Predicate { $0.wheels == 4 }, sqlite: #""wheels" = ?1"#, other: "[wheels] = $1"),
    .init(
      "a class", #Predicate { $0 is Truck }, sqlite: #""_osd_entity" = 'Truck'"#, other: "[_osd_entity] = N'Truck'"),
    .init(
      "no class", #Predicate { !($0 is Bus) }, sqlite: #"NOT ("_osd_entity" = 'Bus')"#,
      other: "NOT ([_osd_entity] = N'Bus')"),
    .init(
      "what only a subclass has", #Predicate { ($0 as? Truck)?.load == 3 }, sqlite: #""load" = ?1"#,
      other: "[load] = $1"),
    .init(
      "what a subclass inherits", #Predicate { ($0 as? Bus)?.wheels == 4 },
      sqlite: #"CASE WHEN "_osd_entity" = 'Bus' THEN "wheels" ELSE NULL END = ?1"#,
      other: "CASE WHEN [_osd_entity] = N'Bus' THEN [wheels] ELSE NULL END = $1"),
  ]

  @Test("a query of the root class tests the class of rows only if a condition does", arguments: rootCases)
  func root(_ item: PredicateCase<Vehicle>) throws { try item.check(in: dialects) }

  static let subclassCases: [PredicateCase<Bus>] = [
    .init(
      "its own property", #Predicate { $0.seats > 3 }, sqlite: #""_osd_entity" = 'Bus' AND ("seats" > ?1)"#,
      other: "[_osd_entity] = N'Bus' AND ([seats] > $1)"),
    .init(
      "an inherited one", #Predicate { $0.wheels == 4 || $0.seats == 1 },
      sqlite: #""_osd_entity" = 'Bus' AND ("wheels" = ?1 OR "seats" = ?2)"#,
      other: "[_osd_entity] = N'Bus' AND ([wheels] = $1 OR [seats] = $2)"),
    .init(
      "everything", #Predicate { _ in true }, sqlite: #""_osd_entity" = 'Bus'"#, other: "[_osd_entity] = N'Bus'"),
  ]

  @Test("a query of a subclass selects only the rows of the subclass", arguments: subclassCases)
  func subclass(_ item: PredicateCase<Bus>) throws { try item.check(in: dialects) }
}
