/// The keys that engines hand out.
package enum EngineKeys {
  /// The greatest key of an engine whose keys do not rise: as a place in a list, a key is a `Double`.
  package static let greatest: Int64 = 1 << 53 - 1
}
