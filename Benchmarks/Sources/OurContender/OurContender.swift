import BenchmarkCore
import Foundation
import SwiftData

/// This library, used through Apple's public API alone.
public struct OurContender: Contender {
  public let name = "ours"
  public let title = "OpenSwiftData"

  public init() {}

  public func create(_ file: URL) throws -> any ContenderSession {
    OurSession(try ModelContainer(for: Item.self, configurations: .withoutHistory(file))) {
      var configuration = ModelConfiguration(url: file)
      configuration.history = .standard
      return try ModelContainer(for: Item.self, configurations: configuration)
    }
  }

  public func createGraph(_ file: URL) throws -> any GraphSession {
    OurGraphSession(
      try ModelContainer(for: Parent.self, Child.self, configurations: .withoutHistory(file)))
  }
}

extension ModelConfiguration {
  /// A configuration without a history, because the hand-written code keeps no history either. The workload
  /// `saveWithRecord` measures saves with a history.
  static func withoutHistory(_ file: URL) -> ModelConfiguration {
    var configuration = ModelConfiguration(url: file)
    configuration.history = .off
    return configuration
  }
}
