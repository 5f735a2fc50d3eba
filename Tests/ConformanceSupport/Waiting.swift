/// Waits until something is so, for longer than a busy machine needs.
package func eventually(
  isolation: isolated (any Actor)? = #isolation, _ condition: () async throws -> Bool
) async rethrows -> Bool {
  for _ in 0..<6_000 {
    if try await condition() { return true }
    // What is waited for may be the work of another thread, or the end of an object, which is not announced.
    try? await Task.sleep(for: .milliseconds(10))
  }
  return false
}
