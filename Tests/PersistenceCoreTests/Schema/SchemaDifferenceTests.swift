import PersistenceCore
import Testing

@Suite("Descriptions of the differences between two schemas")
struct SchemaDifferenceTests {
  let old = Schema(versionedSchema: NotesV1.self)
  let new = Schema(versionedSchema: NotesV2.self)

  @Test("additions, removals, renamings and changes are described in one sentence each")
  func forward() {
    #expect(
      new.differences(from: old) == [
        "Entity Folder was added.",
        "Note.text was renamed to body.",
        "Note.body became optional.",
        "The default of Note.body changed from \"\" to \"empty\".",
        "Relationship Note.folder was added.",
        "The type of Note.rank changed from Int to String.",
        "The default of Note.rank changed from 0 to \"low\".",
        "Attribute Note.old was removed.",
        "Note is now unique by rank.",
      ]
    )
  }

  @Test("a schema has no difference from itself, or from another version with the same content")
  func nothing() {
    #expect(new.differences(from: new).isEmpty)
    let renumbered = Schema(NotesV2.models, version: Schema.Version(3, 0, 0))
    #expect(new.differences(from: renumbered).isEmpty)
    #expect(new.hasSameContent(as: renumbered))
    #expect(new != renumbered)
  }

  @Test("properties that exchanged their names are two renamings")
  func exchange() {
    func schema(_ first: String, _ second: String) -> Schema {
      Schema(
        Schema.Entity(
          "E",
          properties: Schema.Attribute(name: "a", originalName: first, valueType: Int.self),
          Schema.Attribute(name: "b", originalName: second, valueType: Int.self)
        )
      )
    }
    let differences = schema("b", "a").differences(from: schema("a", "b"))
    #expect(differences == ["E.b was renamed to a.", "E.a was renamed to b."])
    #expect(schema("b", "a").differences(from: schema("b", "a")).isEmpty)
  }

  @Test("a new property may take the former name of a renamed property")
  func takenOver() {
    func schema(_ attributes: [Schema.Attribute]) -> Schema {
      let entity = Schema.Entity("E")
      entity.storedProperties = attributes
      return Schema(entity)
    }
    let old = schema([Schema.Attribute(name: "b", valueType: Int.self)])
    let new = schema([
      Schema.Attribute(name: "a", originalName: "b", valueType: Int.self),
      Schema.Attribute(name: "b", originalName: "none", valueType: Int.self),
    ])
    #expect(new.problems.isEmpty)
    #expect(new.differences(from: old) == ["E.b was renamed to a.", "Attribute E.b was added."])
  }

  @Test("a completed renaming is not reported again")
  func doneRenaming() {
    let attribute = Schema.Attribute(name: "a", originalName: "z", valueType: Int.self)
    let schema = Schema(Schema.Entity("E", properties: attribute))
    let next = Schema(Schema.Entity("E", properties: attribute, Schema.Attribute(name: "b", valueType: Int.self)))
    #expect(next.differences(from: schema) == ["Attribute E.b was added."])
  }

  @Test("delete rules, inverses, multiplicities and counts of relationships are compared")
  func relationships() {
    func schema(_ rule: Schema.Relationship.DeleteRule, isToMany: Bool, most: Int) -> Schema {
      let relationship = Schema.Relationship(deleteRule: rule, maximumModelCount: most)
      relationship.name = "others"
      relationship.originalName = "others"
      relationship.destination = "E"
      relationship.valueType = isToMany ? [Schema.UnknownValue].self : Schema.UnknownValue?.self
      return Schema(Schema.Entity("E", properties: relationship))
    }
    #expect(
      schema(.cascade, isToMany: true, most: 3).differences(from: schema(.nullify, isToMany: false, most: 0)) == [
        "E.others became to-many.",
        "E.others became required.",
        "The delete rule of E.others changed from nullify to cascade.",
        "The maximum count of E.others changed from 0 to 3.",
      ]
    )
  }
}
