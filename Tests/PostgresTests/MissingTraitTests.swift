import Testing

#if !PostgreSQL
  // Without the package trait PostgreSQL, these tests are not compiled and need no server. This disabled test makes a
  // test run report that.
  @Suite("Stores in PostgreSQL")
  struct MissingTraitTests {
    @Test(
      "stores in PostgreSQL are tested only with the package trait PostgreSQL",
      .disabled("run swift test --traits PostgreSQL"))
    func trait() {}
  }
#endif
