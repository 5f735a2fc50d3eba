import Foundation
import SwiftData
import Testing

@Suite("Identifiers as JSON")
struct IdentifierCodingTests {
  private struct Form: Codable, Equatable {
    struct Implementation: Codable, Equatable {
      var primaryKey: String
      var uriRepresentation: String
      var isTemporary: Bool
      var storeIdentifier: String?
      var entityName: String
    }

    var implementation: Implementation
  }

  private func form(of identifier: PersistentIdentifier) throws -> Form.Implementation {
    try JSONDecoder().decode(Form.self, from: JSONEncoder().encode(identifier)).implementation
  }

  @Test("an identifier is encoded in Apple's format", arguments: Engine.allCases)
  func appleForm(_ engine: Engine) throws {
    let store = try TestStore(engine)
    try store.save("Oslo")
    let identifier = try store.context().trip("Oslo").persistentModelID
    let form = try form(of: identifier)
    let uri = try #require(URL(string: form.uriRepresentation))
    #expect(uri.scheme == "x-coredata")
    #expect(uri.host() == form.storeIdentifier)
    #expect(uri.pathComponents == ["/", "Trip", form.primaryKey])
    #expect(form.primaryKey.wholeMatch(of: /p[0-9]+/) != nil)
    #expect(!form.isTemporary)
    #expect(form.storeIdentifier == identifier.storeIdentifier)
    #expect(form.entityName == "Trip")
  }

  @Test("identifiers that Apple's framework encoded are decoded, and are equal to each other")
  func applesOwn() throws {
    let store = "4DA67A4B-6F0C-4C5B-8F6B-3B8D1F2A8E11"
    let text = """
      {"implementation":{"primaryKey":"p12","uriRepresentation":"x-coredata://\(store)/Item/p12","isTemporary":false,\
      "storeIdentifier":"\(store)","entityName":"Item"}}
      """
    let identifier = try JSONDecoder().decode(PersistentIdentifier.self, from: Data(text.utf8))
    #expect(identifier.entityName == "Item")
    #expect(identifier.storeIdentifier == store)
    #expect(identifier == (try .identifier(for: store, entityName: "Item", primaryKey: 12)))
    #expect(
      try form(of: identifier)
        == JSONDecoder().decode(Form.self, from: Data(text.utf8)).implementation)
  }

  @Test(
    "the identifier of a new model decodes to an equal identifier, before and after its first save",
    arguments: Engine.allCases)
  func temporary(_ engine: Engine) throws {
    let store = try TestStore(engine)
    let context = store.context()
    let trip = Trip("Oslo")
    context.insert(trip)
    let early = trip.persistentModelID
    let form = try form(of: early)
    #expect(form.isTemporary)
    #expect(form.storeIdentifier == nil)
    #expect(form.primaryKey.hasPrefix("t"))
    let data = try JSONEncoder().encode(early)
    #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == early)
    try context.save()
    #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == trip.persistentModelID)
    let late = try JSONEncoder().encode(early)
    #expect(try self.form(of: early).isTemporary == false)
    #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: late) == early)
  }

  @Test("an identifier with a key in another store's format decodes to an equal identifier")
  func customKeys() throws {
    for key in ["p12", "t1", "a/b ü", ""] {
      let identifier = try PersistentIdentifier.identifier(for: "elsewhere", entityName: "Item", primaryKey: key)
      let data = try JSONEncoder().encode(identifier)
      #expect(try JSONDecoder().decode(PersistentIdentifier.self, from: data) == identifier)
    }
  }

  @Test(
    "decoding a malformed identifier throws",
    arguments: [
      #"{}"#, #"{"implementation":{}}"#, #"{"implementation":{"primaryKey":"p1","entityName":"Item"}}"#,
      #"{"implementation":{"primaryKey":"tnonsense","entityName":"Item","isTemporary":true}}"#,
    ])
  func nonsense(_ text: String) {
    #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(PersistentIdentifier.self, from: Data(text.utf8))
    }
  }
}
