import PersistenceSupport

/// A cache of an entity's value paths, and the pieces of its properties' key paths. Thread-safe.
package final class ValuePathMemory: Sendable {
  private struct State: @unchecked Sendable {
    // Unchecked: key paths are not Sendable as a type; those of models capture nothing mutable.
    var paths: [AnyKeyPath: ValuePath?] = [:]
    var pieces: [KeyPathPiece]?
  }

  private static let capacity = 512

  private let state = Lock(State())

  package init() {}

  func path(of keyPath: AnyKeyPath, find: () -> ValuePath?) -> ValuePath? {
    if let known = state.withLock({ $0.paths[keyPath] }) { return known }
    let found = find()
    state.withLock { if $0.paths.count < Self.capacity { $0.paths[keyPath] = found } }
    return found
  }

  func pieces(make: () -> [KeyPathPiece]) -> [KeyPathPiece] {
    if let known = state.withLock({ $0.pieces }) { return known }
    let made = make()
    state.withLock { $0.pieces = made }
    return made
  }
}
