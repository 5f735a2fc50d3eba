import Foundation

/// A library or program that a comparison measures. A participant may run in another language; a ``Contender`` is in
/// Swift.
public protocol Participant: Sendable {
  /// The name on the command line.
  var name: String { get }

  /// The title in tables.
  var title: String { get }
}

/// A way of storing items that the benchmark measures: hand-written code, another library such as GRDB, or this
/// library.
public protocol Contender: Participant {
  /// Called once in each process, before a database is opened.
  func prepareProcess()

  /// Creates a database with the table of items and the index on `count`.
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
