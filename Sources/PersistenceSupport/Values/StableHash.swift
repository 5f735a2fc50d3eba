/// The hash function FNV-1a with 128 bits.
///
/// The standard library's hasher has another seed in each process. This function has no seed, so its values can be
/// stored and compared later. Collisions are improbable unless they are constructed.
package enum StableHash {
  private static let offset: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
  private static let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013b

  package static func value(of bytes: some Sequence<UInt8>) -> UInt128 {
    bytes.reduce(offset) { ($0 ^ UInt128($1)) &* prime }
  }

  /// The exclusive or of both halves of the hash, for uses that need a short value, such as names.
  package static func shortValue(of bytes: some Sequence<UInt8>) -> UInt64 {
    let value = value(of: bytes)
    return UInt64(truncatingIfNeeded: value) ^ UInt64(truncatingIfNeeded: value >> 64)
  }
}
