import Testing

@testable import PersistenceRuntime
@testable import PersistenceSupport

@Suite("The commits of other processes that a context knows")
struct StoreReachTests {
  @Test("a range of reported changes extends the known commits only if the two adjoin")
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

  @Test("all commits are known after a change without reported rows")
  func anything() {
    var reach = StoreReach(foreignChanges: 9, foreignStart: 6)
    #expect(!reach.isForeignComplete(through: 9))
    reach.formUnion(StoreReach(foreignChanges: 8))
    #expect(reach.isForeignComplete(through: 9))
  }

  @Test("commits stay unknown to a context that began with an older read, whichever rows are reported later")
  func older() {
    var reach = StoreReach()
    #expect(!reach.isForeignComplete(through: 0))
    reach.formUnion(StoreReach(foreignChanges: 2, foreignStart: 0))
    #expect(!reach.isForeignComplete(through: 0) && !reach.isForeignComplete(through: 2))
    reach.formUnion(StoreReach(foreignChanges: 2))
    #expect(reach.isForeignComplete(through: 2))
  }

  @Test("an inbox merges these commits with the commits of this process")
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
