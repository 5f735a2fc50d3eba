/// The clock of autosaves. Tests use one that they advance.
package protocol AutosaveClock: Sendable {
  /// The time since a fixed moment.
  var now: Duration { get }

  /// Runs an action once, after a delay.
  func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void)
}

/// The clock of the system.
struct SystemAutosaveClock: AutosaveClock {
  private static let start = ContinuousClock.now

  var now: Duration { Self.start.duration(to: .now) }

  func run(after delay: Duration, _ action: @escaping @Sendable () async -> Void) {
    Task {
      try? await Task.sleep(for: delay)
      await action()
    }
  }
}
