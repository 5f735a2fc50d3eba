#if PostgreSQL && !Encryption
  import Foundation
  import PersistenceCore
  import PostgresStore
  import SwiftData
  import Testing

  @Suite("Encrypted attributes in PostgreSQL without the package trait Encryption")
  struct MissingEncryptionTests {
    @Test("opening a container throws before it contacts a server, and the error names the trait to enable")
    func unavailable() throws {
      var configuration = PostgresConfiguration("postgresql://nobody@127.0.0.1:1/nothing")
      configuration.encryptionKey = ModelConfiguration.EncryptionKey()
      let error = #expect(throws: SwiftDataError.encryptionUnavailable) {
        try ModelContainer(for: Secret.self, configurations: configuration)
      }
      #expect(error?.explanation?.contains("traits: [.defaults, \"Encryption\"]") == true)
    }
  }
#endif
