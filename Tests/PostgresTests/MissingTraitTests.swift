import Testing

#if !PostgreSQL
  // Without the trait there is nothing to test, and nothing that needs a server. The suite is here so that a run says so.
  @Suite("Stores in PostgreSQL")
  struct MissingTraitTests {
    @Test("are tested with the package trait PostgreSQL", .disabled("run swift test --traits PostgreSQL"))
    func trait() {}
  }
#endif
