import Foundation
import Testing

@testable import PersistenceRuntime
@testable import PersistenceSupport

@Suite("KnownKeys, the keys for which a program already has identifiers")
struct KnownKeysTests {
  private let entity = StoreEntity(store: "KnownKeysTests \(UUID())", name: "Row")
  private var keys: KnownKeys { entity.knownKeys }

  /// Claims so many consecutive keys that they are stored as one range, and then the distant key `far`. A key is
  /// claimed if the program has decoded an identifier with it; a row with the key may not exist. The gap before `far`
  /// is so large that new rows may use its keys.
  private func claim(upTo far: Int64) -> PersistentIdentifier {
    for key in 1...4_096 { keys.noteClaim(Int64(key)) }
    return PersistentIdentifier(claimed: far, of: entity)
  }

  @Test("a distant claimed key stays recorded when the claims of the nearer keys are discarded")
  func farClaim() {
    _ = claim(upTo: 200_000)
    #expect(keys.keysToSkip(from: 5_000) == 0)
    #expect(keys.mayBeKnown(200_000))
    #expect(!keys.mayBeKnown(199_999) && !keys.mayBeKnown(200_001))
    #expect(keys.keysToSkip(from: 199_990) == 11)
    #expect(keys.keysToSkip(from: 200_001) == 0)
    #expect(!keys.mayBeKnown(200_000))
  }

  @Test("if a temporary identifier gets a distant claimed key, it never equals an identifier with another hash")
  func farToken() {
    let claimed = claim(upTo: 200_000)
    _ = keys.keysToSkip(from: 5_000)
    let token = IdentifierToken(entityName: "Row")
    token.resolve(to: 200_000, of: entity)
    let early = PersistentIdentifier(.token(token))
    #expect(token.isAlias && early.row?.key == 200_000)
    #expect(early != claimed || early.hashValue == claimed.hashValue)
  }

  @Test("beyond 4,096 ranges of claimed keys, memory does not grow, and the keys between the claims count as known")
  func manyClaims() {
    for key in 1...20_000 { keys.noteClaim(Int64(key) * 3) }
    #expect((1...20_000).allSatisfy { keys.mayBeKnown(Int64($0) * 3) })
    #expect(keys.keysToSkip(from: 4) == 59_997)
    #expect(keys.keysToSkip(from: 60_001) == 0)
    #expect(!keys.mayBeKnown(60_001) && !keys.mayBeKnown(60_000))
  }

  @Test("many existing rows and one distant claim do not make the keys between them known")
  func manyExistingRows() {
    // Claims every third key in random order, as if the rows between them were deleted.
    for key in 1...20_000 { keys.noteClaim(Int64(key * 7_919 % 20_000 + 1) * 3) }
    keys.noteClaim(1_000_000)
    #expect(keys.keysToSkip(from: 60_001) == 0)
    #expect(!(60_001...999_999).contains { keys.mayBeKnown($0) })
    #expect(keys.mayBeKnown(1_000_000))
  }

  @Test("the keys of new rows skip all claims up to the next large gap between claimed keys")
  func chain() {
    // A store was restored from an older backup, and the program has identifiers of rows that the backup lacks.
    for key in 1...100_000 { keys.noteClaim(Int64(key)) }
    #expect(keys.keysToSkip(from: 5_001) == 95_000)
    #expect(!keys.mayBeKnown(100_001))
    for key in stride(from: Int64(200_000), to: 900_000, by: 60_000) { keys.noteClaim(key) }
    #expect(keys.keysToSkip(from: 190_000) == 610_001 + 60_000)
    #expect(keys.keysToSkip(from: 1_000_000) == 0)
  }

  @Test("in an engine whose keys fall, claims do not make the keys between them known")
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
