import Testing

@testable import PersistenceRuntime

@Suite("Remote changes that a context has not applied yet")
struct RemoteChangesTests {
  private let type = ObjectIdentifier(RemoteChangesTests.self)

  private func changes(_ changed: Range<Int64>, deleted: Range<Int64> = 0..<0) -> RemoteChanges {
    var changes = RemoteChanges()
    changes.rows[type] = RemoteChanges.Rows(changed: Set(changed), deleted: Set(deleted))
    return changes
  }

  @Test("a small save is recorded with the keys of its rows")
  func few() {
    var all = changes(0..<10)
    all.merge(changes(5..<20, deleted: 30..<32))
    #expect(all.rows[type]?.changed == Set(0..<20) && all.rows[type]?.deleted == [30, 31])
    #expect(all.rows[type]?.meansAll == false)
  }

  @Test("a large save is recorded without keys", arguments: [true, false])
  func largeSave(isFirst: Bool) {
    var all = isFirst ? RemoteChanges() : changes(0..<10)
    all.merge(changes(0..<9_000, deleted: 20_000..<29_000))
    #expect(all.rows[type]?.meansAll == true)
    #expect(all.rows[type]?.changed.isEmpty == true && all.rows[type]?.deleted.isEmpty == true)
  }

  @Test("many small saves keep no more keys than one large save")
  func manySaves() {
    var all = RemoteChanges()
    for key in Int64(0)..<10_000 { all.merge(changes(key..<key + 1)) }
    #expect(all.rows[type]?.changed.count == 10_000 && all.rows[type]?.meansAll == false)
    all.merge(changes(10_000..<10_001))
    #expect(all.rows[type]?.meansAll == true && all.rows[type]?.changed.isEmpty == true)
    all.merge(changes(0..<5))
    #expect(all.rows[type]?.changed.isEmpty == true && !all.isEmpty)
  }
}
