import SwiftData
import Testing

@Model final class UniqueSecret {
  @Attribute(.unique, .encrypt) var code: String = ""

  init() {}
}

@Model final class IndexedSecret {
  #Index<IndexedSecret>([\.name, \.code])
  #Unique<IndexedSecret>([\.code])
  var name: String = ""
  @Attribute(.encrypt) var code: String = ""

  init() {}
}

extension Schema.Attribute.Option {
  /// The option `.encrypt` under another name, which the macro does not recognise.
  fileprivate static var hidden: Schema.Attribute.Option { .encrypt }
}

@Model final class HiddenSecret {
  @Attribute(.hidden) var code: String = ""

  init() {}
}

@Suite("Invalid declarations of encrypted attributes")
struct EncryptionRuleTests {
  private func problems(of types: any PersistentModel.Type...) throws -> String {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true, encryptionKey: .init())
    let error = #expect(throws: SwiftDataError.invalidSchema) {
      try ModelContainer(for: Schema(types), configurations: [configuration])
    }
    return try #require(error?.explanation)
  }

  @Test("an encrypted attribute cannot be unique or indexed, and all such declarations are listed at once")
  func rules() throws {
    let text = try problems(of: UniqueSecret.self, IndexedSecret.self)
    let reason = "it is encrypted, so that the store cannot compare it"
    #expect(text.contains("UniqueSecret.code: a uniqueness rule names it, but \(reason)"))
    #expect(text.contains("IndexedSecret.code: a uniqueness rule names it, but \(reason)"))
    #expect(text.contains("IndexedSecret.code: an index names it, but \(reason)"))
    #expect(text.split(separator: "\n").count == 3)
  }

  @Test("an encryption option that the macro does not see is rejected, because the value would be stored in plain form")
  func hidden() throws {
    #expect(try problems(of: HiddenSecret.self).contains("HiddenSecret.code: it is to be encrypted, but"))
  }
}
