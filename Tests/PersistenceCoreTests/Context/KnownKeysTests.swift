import Foundation
import Testing

@testable import PersistenceRuntime
@testable import PersistenceSupport

@Suite("Keys for which identifiers exist")
struct KnownKeysTests {
  private let entity = StoreEntity(store: "KnownKeysTests \(UUID())", name: "Row")
  private var keys: KnownKeys { entity.knownKeys }

  /// Records more claims than are kept individually. New keys do not skip as far as the last one.
  private func claim(upTo far: Int64) -> PersistentIdentifier {
    for key in 1...4_096 { keys.noteClaim(Int64(key)) }
    return PersistentIdentifier(claimed: far, of: entity)
  }

  @Test("a distant claimed key is kept when the claims of all nearer keys are dropped")
  func farClaim() {
    _ = claim(upTo: 200_000)
    #expect(keys.keysToSkip(from: 5_000) == 0)
    #expect(keys.mayBeKnown(200_000))
    #expect(!keys.mayBeKnown(199_999) && !keys.mayBeKnown(200_001))
    #expect(keys.keysToSkip(from: 199_990) == 11)
    #expect(keys.keysToSkip(from: 200_001) == 0)
    #expect(!keys.mayBeKnown(200_000))
  }

  @Test("a temporary identifier that resolves to a distant claimed key does not equal an identifier with another hash")
  func farToken() {
    let claimed = claim(upTo: 200_000)
    _ = keys.keysToSkip(from: 5_000)
    let token = IdentifierToken(entityName: "Row")
    token.resolve(to: 200_000, of: entity)
    let early = PersistentIdentifier(.token(token))
    #expect(token.isAlias && early.row?.key == 200_000)
    #expect(early != claimed || early.hashValue == claimed.hashValue)
  }

  @Test("beyond the limit, claims use no more memory, and every key between them counts as known")
  func manyClaims() {
    for key in 1...20_000 { keys.noteClaim(Int64(key) * 3) }
    #expect((1...20_000).allSatisfy { keys.mayBeKnown(Int64($0) * 3) })
    #expect(keys.keysToSkip(from: 4) == 59_997)
    #expect(keys.keysToSkip(from: 60_001) == 0)
    #expect(!keys.mayBeKnown(60_001) && !keys.mayBeKnown(60_000))
  }

  @Test("many existing rows and one distant claim do not make other keys known")
  func manyExistingRows() {
    // Every third key in random order, as if other rows were deleted.
    for key in 1...20_000 { keys.noteClaim(Int64(key * 7_919 % 20_000 + 1) * 3) }
    keys.noteClaim(1_000_000)
    #expect(keys.keysToSkip(from: 60_001) == 0)
    #expect(!(60_001...999_999).contains { keys.mayBeKnown($0) })
    #expect(keys.mayBeKnown(1_000_000))
  }

  @Test("beyond the limit of individual claims, new keys skip all claims until the next claim is distant")
  func chain() {
    // Simulates a store that was restored from an older backup, and identifiers from before that.
    for key in 1...100_000 { keys.noteClaim(Int64(key)) }
    #expect(keys.keysToSkip(from: 5_001) == 95_000)
    #expect(!keys.mayBeKnown(100_001))
    for key in stride(from: Int64(200_000), to: 900_000, by: 60_000) { keys.noteClaim(key) }
    #expect(keys.keysToSkip(from: 190_000) == 610_001 + 60_000)
    #expect(keys.keysToSkip(from: 1_000_000) == 0)
  }

  @Test("claims do not reserve the keys between them in engines whose keys do not increase")
  func fallingKeys() {
    keys.expectFallingKeys()
    for key in 1...10_000 { keys.noteClaim(Int64(key)) }
    for key in 20_001...30_000 { keys.noteClaim(Int64(key)) }
    #expect(keys.unknown(in: [9_990...20_010, 15_000...15_010]) == [10_001...20_000, 15_000...15_010])
    #expect(keys.unknown(in: [1...10_000, 30_000...30_001]) == [30_001...30_001])
    #expect(!keys.mayBeKnown(10_001) && keys.mayBeKnown(10_000) && keys.mayBeKnown(20_001))
    keys.noteClaim(.max)
    keys.noteClaim(.min)
    #expect(keys.mayBeKnown(.max) && keys.unknown(in: [.max - 1 ... .max]) == [.max - 1 ... .max - 1])
    #expect(keys.claimCount == 20_002)
  }
}
