import Testing

/// Generated code applies relationship changes only to properties that may be relationships according to the source.
@Suite("Properties that may be relationships")
struct RelationshipDetectionTests {
  private func isRelated(_ property: String) -> Bool {
    expand("@Model final class Trip { \(property); init() {} }").contains("edit.apply(to: self, \\.other, &_other)")
  }

  @Test(
    "A property whose type may be a model is treated as a possible relationship, whatever its attribute",
    arguments: [
      "var other: Other?", "@Attribute(originalName: \"former\") var other: Other?",
      "@Attribute(.unique) var other: Other", "@Attribute(.codable) var other: [Other] = []",
      "var other: [Character] = []", "@Relationship var other: Date?",
    ])
  func related(property: String) {
    #expect(isRelated(property))
  }

  @Test(
    "A property whose source shows that it is a value is not a relationship",
    arguments: [
      "let other: Other", "var other: Date?", "@Attribute(.unique) var other: UUID", "var other = 1",
      "var other = -1.5", "@Attribute(.encrypt) var other: Other",
      "@Attribute(.transformable(by: Coder.self)) var other: Other",
    ])
  func unrelated(property: String) {
    #expect(!isRelated(property))
  }

  @Test(
    "A property that is handled as a relationship although its type has the name of a value is marked in the schema",
    arguments: [
      ("var other: Models.Date?", true), ("var other: [Models.Date]", true), ("var other: Models.Other?", false),
      ("var other: Date?", false), ("@Relationship var other: Models.Date?", false), ("let other: Models.Date", false),
    ])
  func relatable(property: String, isMarked: Bool) {
    let expanded = expand("@Model final class Trip { \(property); init() {} }")
    #expect(expanded.contains("._$relatable()") == isMarked)
  }
}
