// This module knows PostgreSQL: its SQL, its connections and its errors. Without the package trait PostgreSQL it is empty but for
// the sentence below, and nothing of libpq is compiled or linked.

#if !PostgreSQL
  import PersistenceContainer
  import PersistenceContext
  import PersistenceRuntime

  /// The name of stores in PostgreSQL where the package trait is off, so that the compiler says what is missing.
  @available(
    *, unavailable,
    message: """
      stores in PostgreSQL need the package trait 'PostgreSQL': add 'traits: ["PostgreSQL"]' to the dependency on this package, \
      and install libpq (Debian: 'apt-get install libpq-dev')
      """
  )
  public struct PostgresConfiguration {
    /// Not available without the trait.
    public init(_ url: String) {}
  }

  extension ModelContainer {
    /// Not available without the trait. It is here so that the compiler says that, and not that the type is a wrong one.
    @available(
      *, unavailable,
      message: """
        stores in PostgreSQL need the package trait 'PostgreSQL': add 'traits: ["PostgreSQL"]' to the dependency on this package, \
        and install libpq (Debian: 'apt-get install libpq-dev')
        """
    )
    public convenience init(for forTypes: any PersistentModel.Type..., configurations: PostgresConfiguration...) throws
    {
      try self.init(ContainerSchema(forTypes), migrationPlan: nil, configurations: [])
    }
  }
#endif
