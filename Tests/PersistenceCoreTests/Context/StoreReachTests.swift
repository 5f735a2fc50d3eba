import Testing

@testable import PersistenceRuntime
@testable import PersistenceSupport

@Suite("The commits of other processes that a context knows")
struct StoreReachTests {
  @Test("continue with changes that name their rows, and with no others that do")
  func continuing() {
    var reach = StoreReach(foreignChanges: 3)
    #expect(reach.isForeignComplete(through: 3) && !reach.isForeignComplete(through: 4))
    reach.formUnion(StoreReach(foreignChanges: 9, foreignStart: 6))
    #expect(reach.isForeignComplete(through: 3) && !reach.isForeignComplete(through: 4))
    reach.formUnion(StoreReach(foreignChanges: 6, foreignStart: 3))
    #expect(reach.isForeignComplete(through: 6) && !reach.isForeignComplete(through: 7))
    reach.formUnion(StoreReach(foreignChanges: 9, foreignStart: 6))
    #expect(reach.isForeignComplete(through: 9))
  }

  @Test("are all known after changes of any row")
  func anything() {
    var reach = StoreReach(foreignChanges: 9, foreignStart: 6)
    #expect(!reach.isForeignComplete(through: 9))
    reach.formUnion(StoreReach(foreignChanges: 8))
    #expect(reach.isForeignComplete(through: 9))
  }

  @Test("are unknown to a context that began in an older read, whatever rows are named later")
  func older() {
    var reach = StoreReach()
    #expect(!reach.isForeignComplete(through: 0))
    reach.formUnion(StoreReach(foreignChanges: 2, foreignStart: 0))
    #expect(!reach.isForeignComplete(through: 0) && !reach.isForeignComplete(through: 2))
    reach.formUnion(StoreReach(foreignChanges: 2))
    #expect(reach.isForeignComplete(through: 2))
  }

  @Test("are kept together in an inbox, with those of commits in this process")
  func merged() {
    let store = ObjectIdentifier(StoreReachTests.self)
    var (first, second, third) = (RemoteChanges(), RemoteChanges(), RemoteChanges())
    first.reaches[store] = StoreReach(commits: CommitNumbers(through: 4))
    second.reaches[store] = StoreReach(foreignChanges: 5, foreignStart: 3)
    third.reaches[store] = StoreReach(foreignChanges: 7, foreignStart: 5)
    first.merge(second)
    first.merge(third)
    #expect(
      first.reaches[store]
        == StoreReach(commits: CommitNumbers(through: 4), foreignChanges: 7, foreignStart: 3))
  }
}
