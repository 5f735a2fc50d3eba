import Foundation

/// A way of storing items: hand-written code, a peer, or the library itself.
public protocol Contender: Sendable {
  /// What the command line calls it.
  var name: String { get }

  /// What the tables call it.
  var title: String { get }

  /// Called once in a process, before any database is opened.
  func prepareProcess()

  /// Makes a new database with the table and its index.
  func create(_ file: URL) throws -> any ContenderSession

  /// Opens a database that ``create(_:)`` made.
  func open(_ file: URL) throws -> any ContenderSession
}

extension Contender {
  public func prepareProcess() {}

  public func open(_ file: URL) throws -> any ContenderSession {
    try create(file)
  }
}
