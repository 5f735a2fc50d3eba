import BenchmarkCore
import Foundation
import SwiftData

/// This library, through Apple's public API alone.
public struct OurContender: Contender {
  public let name = "ours"
  public let title = "OpenSwiftData"

  public init() {}

  public func create(_ file: URL) throws -> any ContenderSession {
    OurSession(try ModelContainer(for: Item.self, configurations: ModelConfiguration(url: file)))
  }

  public func createGraph(_ file: URL) throws -> any GraphSession {
    OurGraphSession(
      try ModelContainer(for: Parent.self, Child.self, configurations: ModelConfiguration(url: file)))
  }
}
