import Testing

#if !PostgreSQL
  // Without the trait there is nothing to test, and no server is needed. This suite makes a run report that.
  @Suite("Stores in PostgreSQL")
  struct MissingTraitTests {
    @Test("are tested only with the package trait PostgreSQL", .disabled("run swift test --traits PostgreSQL"))
    func trait() {}
  }
#endif
