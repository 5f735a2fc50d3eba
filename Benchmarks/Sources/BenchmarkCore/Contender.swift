import Foundation

/// Who takes part in a comparison.
public protocol Participant: Sendable {
  /// What the command line calls it.
  var name: String { get }

  /// What the tables call it.
  var title: String { get }
}

/// A way of storing items: hand-written code, a peer, or the library itself.
public protocol Contender: Participant {
  /// Called once in a process, before any database is opened.
  func prepareProcess()

  /// Makes a new database with the table and its index.
  func create(_ file: URL) throws -> any ContenderSession

  /// Opens a database that ``create(_:)`` made.
  func open(_ file: URL) throws -> any ContenderSession

  /// Makes a new database with tables of parents and children, and an index on the reference between them.
  func createGraph(_ file: URL) throws -> any GraphSession

  /// Opens a database that ``createGraph(_:)`` made.
  func openGraph(_ file: URL) throws -> any GraphSession
}

extension Contender {
  public func prepareProcess() {}

  public func open(_ file: URL) throws -> any ContenderSession {
    try create(file)
  }

  public func openGraph(_ file: URL) throws -> any GraphSession {
    try createGraph(file)
  }
}
