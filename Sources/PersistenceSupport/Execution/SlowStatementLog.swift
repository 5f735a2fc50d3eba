import Logging

extension _PersistenceRuntime {
  /// A log of the statements of a store that take long.
  ///
  /// ```swift
  /// var configuration = ModelConfiguration(url: file)
  /// configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .milliseconds(50))
  /// // warning SwiftData: a statement took 0.183 s
  /// //   sql=SELECT … WHERE "days" > ?1 store=/srv/trips.store
  /// ```
  public struct SlowStatementLog: Hashable, Sendable {
    /// Statements that take at least so long are logged, from their first step to their end: what is done with the rows
    /// is a part of it.
    public var threshold: Duration
    /// Whether the values are written into the statements. They are what users stored, so they are left out unless this
    /// is set.
    public var showsValues: Bool
    /// The level of the lines.
    public var level: Logger.Level
    /// Where the lines go.
    public var logger: Logger

    public init(
      threshold: Duration, showsValues: Bool = false, level: Logger.Level = .warning,
      logger: Logger = Logger(label: "SwiftData")
    ) {
      self.threshold = threshold
      self.showsValues = showsValues
      self.level = level
      self.logger = logger
    }

    /// Logs are equal when they say the same in the same place; loggers are told apart by their labels.
    public static func == (lhs: SlowStatementLog, rhs: SlowStatementLog) -> Bool {
      lhs.threshold == rhs.threshold && lhs.showsValues == rhs.showsValues && lhs.level == rhs.level
        && lhs.logger.label == rhs.logger.label
    }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(threshold)
      hasher.combine(showsValues)
      hasher.combine(level)
      hasher.combine(logger.label)
    }

    /// Writes down a statement if it took long enough.
    package func note(_ duration: Duration, store: String, statement: () -> String) {
      guard duration >= threshold else { return }
      let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
      logger.log(
        level: level, "a statement took \((seconds * 1e6).rounded() / 1e6) s",
        metadata: ["sql": "\(statement())", "seconds": "\(seconds)", "store": "\(store)"])
    }
  }
}
