import Foundation

/// A participant in a comparison.
public protocol Participant: Sendable {
  /// The name on the command line.
  var name: String { get }

  /// The title in tables.
  var title: String { get }
}

/// A way of storing items: hand-written code, a peer, or the library itself.
public protocol Contender: Participant {
  /// Called once in a process, before any database is opened.
  func prepareProcess()

  /// Creates a database with the table and its index.
  func create(_ file: URL) throws -> any ContenderSession

  /// Opens a database that ``create(_:)`` created.
  func open(_ file: URL) throws -> any ContenderSession

  /// Creates a database with tables of parents and children, and an index on the reference between them.
  func createGraph(_ file: URL) throws -> any GraphSession

  /// Opens a database that ``createGraph(_:)`` created.
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
