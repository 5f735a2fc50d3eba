import ConformanceSupport
import OpenSwiftData
import Testing

@Suite("The text of a history record")
struct HistoryRecordTests {
  private typealias Group = HistoryRecord.Group

  private func text(_ record: HistoryRecord) -> String { String(decoding: record.json, as: UTF8.self) }

  @Test("a record is JSON with names, keys and ranges of keys")
  func isJSON() {
    let record = HistoryRecord(groups: [
      Group(.insert, "Trip", keys: [1, 2, 3, 9]), Group(.update, "Trip", properties: ["name", "start"], keys: [7]),
      Group(.delete, "Day", keys: [4, 3, 3, -5]),
    ])
    #expect(
      text(record)
        == #"[["insert","Trip",[1,3],9],["update","Trip",["name","start"],7],["delete","Day",-5,[3,4]]]"#)
  }

  @Test("decoding returns the groups that were written, with any names and the greatest keys")
  func roundTrip() throws {
    var random = SeededGenerator(seed: RandomTesting.seed)
    let names = ["Trip", "größe", "a\"b\\c", "x y\u{1}\n", "日本"]
    for _ in 0..<200 {
      let groups = (0..<Int.random(in: 1..<5, using: &random)).map { _ -> Group in
        let kind = [HistoryRecord.Kind.insert, .update, .delete].randomElement(using: &random) ?? .insert
        let keys = (0..<Int.random(in: 1..<20, using: &random)).map { _ in
          [Int64.min, .max, .max - 1, .random(in: -9...40, using: &random)].randomElement(using: &random) ?? 1
        }
        let properties = kind == .update ? [names.randomElement(using: &random) ?? "", "b"] : []
        return Group(kind, names.randomElement(using: &random) ?? "", properties: properties, keys: keys)
      }
      let text = self.text(HistoryRecord(groups: groups))
      #expect(Group.groups(in: text) == groups, "\(text)")
    }
  }

  @Test(
    "a text that is damaged or not a record is not decoded",
    arguments: [
      "", "{}", "[1]", #"[["insert"]]"#, #"[["update","A",7]]"#,
      #"[["insert","A",[2,1]]]"#, #"[["insert","A",[1,9223372036854775807]]]"#,
      #"[["delete","A",[-9223372036854775808,9223372036854775807]]]"#,
    ])
  func damaged(_ text: String) {
    #expect(Group.groups(in: text) == nil)
  }

  @Test("a record of a later version is decoded without the unknown kinds of changes")
  func later() {
    #expect(Group.groups(in: #"[["move","A",[1,2]],["delete","B",3]]"#) == [Group(.delete, "B", keys: [3])])
  }

  @Test("a fetch throws if another program has damaged a record, and the record can be deleted")
  func fetch() throws {
    let store = try TestStore(.file, [Voyage.self, Leg.self, Guide.self], history: .standard)
    defer { withExtendedLifetime(store) {} }
    let context = store.context()
    for name in ["a", "b"] {
      context.insert(Guide(name))
      try context.save()
    }
    try RawDatabase(store.configuration.url.path).run("UPDATE _osd_history SET changes = 'x' WHERE number = 1")
    let all = HistoryDescriptor<DefaultHistoryTransaction>()
    #expect(throws: SwiftDataError.corruptValue) { _ = try context.fetchHistory(all) }
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.transactionIdentifier == 1 }))
    #expect(try context.fetchHistory(all).map(\.transactionIdentifier) == [2])
  }
}
