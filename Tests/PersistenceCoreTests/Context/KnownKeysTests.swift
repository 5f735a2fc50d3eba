import Foundation
import Testing

@testable import PersistenceRuntime
@testable import PersistenceSupport

@Suite("Keys of which identifiers exist")
struct KnownKeysTests {
  private let entity = StoreEntity(store: "KnownKeysTests \(UUID())", name: "Row")
  private var keys: KnownKeys { entity.knownKeys }

  /// More claims than are remembered one by one. The last is beyond what new keys skip.
  private func claim(upTo far: Int64) -> PersistentIdentifier {
    for key in 1...4_096 { keys.noteClaim(Int64(key)) }
    return PersistentIdentifier(claimed: far, of: entity)
  }

  @Test("a claim that lies far ahead is remembered when all nearer ones are dropped")
  func farClaim() {
    _ = claim(upTo: 200_000)
    #expect(keys.keysToSkip(from: 5_000) == 0)
    #expect(keys.mayBeKnown(200_000))
    #expect(!keys.mayBeKnown(199_999) && !keys.mayBeKnown(200_001))
    #expect(keys.keysToSkip(from: 199_990) == 11)
    #expect(keys.keysToSkip(from: 200_001) == 0)
    #expect(!keys.mayBeKnown(200_000))
  }

  @Test("an early identifier that comes to such a claim is equal to no identifier with another hash")
  func farToken() {
    let claimed = claim(upTo: 200_000)
    _ = keys.keysToSkip(from: 5_000)
    let token = IdentifierToken(entityName: "Row")
    token.resolve(to: 200_000, of: entity)
    let early = PersistentIdentifier(.token(token))
    #expect(token.isAlias && early.row?.key == 200_000)
    #expect(early != claimed || early.hashValue == claimed.hashValue)
  }

  @Test("claims beyond the limit take no more memory, and every key between them counts as known")
  func manyClaims() {
    for key in 1...20_000 { keys.noteClaim(Int64(key) * 3) }
    #expect((1...20_000).allSatisfy { keys.mayBeKnown(Int64($0) * 3) })
    #expect(keys.keysToSkip(from: 4) == 59_997)
    #expect(keys.keysToSkip(from: 60_001) == 0)
    #expect(!keys.mayBeKnown(60_001) && !keys.mayBeKnown(60_000))
  }
}
