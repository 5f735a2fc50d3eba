import Logging

extension _PersistenceRuntime {
  /// Logs those statements of a store that take longer than a threshold. Ours.
  ///
  /// ```swift
  /// var configuration = ModelConfiguration(url: file)
  /// configuration.slowStatementLog = ModelConfiguration.SlowStatementLog(threshold: .milliseconds(50))
  /// // warning SwiftData: a statement took 0.183 s
  /// //   sql=SELECT … WHERE "days" > ?1 store=/srv/trips.store
  /// ```
  public struct SlowStatementLog: Hashable, Sendable {
    /// The minimum duration of a statement that is logged. It is measured from the statement's first step to its end,
    /// and includes the time in which the library processes the rows.
    public var threshold: Duration
    /// Whether log entries contain the values that are bound to the statement. False by default: the values are user
    /// data.
    public var showsValues: Bool
    /// The level of the log entries.
    public var level: Logger.Level
    /// The logger that receives the entries.
    public var logger: Logger

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - threshold: The minimum duration of a statement that is logged.
    ///   - showsValues: Whether log entries contain the bound values of the statement, which are user data.
    ///   - level: The level of the log entries.
    ///   - logger: The logger that receives the entries.
    public init(
      threshold: Duration, showsValues: Bool = false, level: Logger.Level = .warning,
      logger: Logger = Logger(label: "SwiftData")
    ) {
      self.threshold = threshold
      self.showsValues = showsValues
      self.level = level
      self.logger = logger
    }

    /// Two logs are equal if all their settings are equal. Of their loggers, only the labels are compared.
    ///
    /// - Parameters:
    ///   - lhs: A log.
    ///   - rhs: Another log.
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

    /// Logs a statement if it took at least the threshold.
    package func note(_ duration: Duration, store: String, statement: () -> String) {
      guard duration >= threshold else { return }
      let seconds = duration / .seconds(1)
      logger.log(
        level: level, "a statement took \((seconds * 1e6).rounded() / 1e6) s",
        metadata: ["sql": "\(statement())", "seconds": "\(seconds)", "store": "\(store)"])
    }
  }
}

extension Logger {
  /// The logger of the library.
  ///
  /// It is created for each log entry, so that the entry goes to the log handler that the program has set by then.
  /// Creating a logger takes a hundredth of the time of opening a store.
  package static var library: Logger { Logger(label: "SwiftData") }
}
