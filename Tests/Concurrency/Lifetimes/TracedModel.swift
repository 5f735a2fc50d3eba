import Dispatch
import Foundation
import SwiftData

/// A Codable value that records on which thread, queue or actor it is encoded.
struct Trace: Codable, Equatable {
  /// Identifies the value in ``places(of:)``. If the name begins with "bad", encoding the value throws.
  var name: String
  var count = 0

  private static let log = Log<(name: String, place: String)>()

  /// The threads, queues or actors on which values with this name were encoded, in the order of the encodings.
  static func places(of name: String) -> [String] { log.entries.filter { $0.name == name }.map(\.place) }

  init(_ name: String) { self.name = name }

  init(from decoder: any Decoder) throws {
    let words = try decoder.singleValueContainer().decode(String.self).split(separator: "#")
    name = String(words.first ?? "")
    count = words.last.flatMap { Int($0) } ?? 0
  }

  func encode(to encoder: any Encoder) throws {
    if name.hasPrefix("bad") { throw Failure() }
    Self.log.add((name, Place.here))
    var container = encoder.singleValueContainer()
    try container.encode("\(name)#\(count)")
  }
}

/// Names the thread, queue or actor that runs the caller.
enum Place {
  private static let key = DispatchSpecificKey<String>()

  static var here: String {
    if isOnMainActor() { return "main" }
    if Thread.current.threadDictionary["program"] != nil { return "thread" }
    return DispatchQueue.getSpecific(key: key) ?? "elsewhere"
  }

  static func queue() -> DispatchQueue {
    let queue = DispatchQueue(label: "program")
    queue.setSpecific(key: key, value: "queue")
    return queue
  }
}

@Model final class Traced {
  @Attribute(.codable) var trace: Trace

  init(_ name: String) { trace = Trace(name) }
}

/// A model actor for traced models, on a given executor.
@ModelActor actor TracedStore {
  init(modelContainer: ModelContainer, modelExecutor: any ModelExecutor) {
    self.modelContainer = modelContainer
    self.modelExecutor = modelExecutor
  }

  func run<Result>(_ body: @Sendable (isolated TracedStore) throws -> sending Result) rethrows -> sending Result {
    try body(self)
  }

  /// Inserts a model and does not save it, so that the context's autosave has to save it.
  func leave(_ name: String, clock: ManualClock) {
    modelContext.autosaveClock = clock
    modelContext.autosaveEnabled = true
    modelContext.insert(Traced(name))
  }
}

/// The kinds of executors on which the tests run a model actor.
enum Home: String, CaseIterable {
  case own, queue, thread, handWritten, loose

  /// The value of ``Place/here`` in code that runs on this executor.
  var place: String {
    switch self {
    case .own, .loose: "elsewhere"
    case .queue: "queue"
    case .thread, .handWritten: "thread"
    }
  }

  func actor(of container: ModelContainer, on thread: ThreadExecutor) -> TracedStore {
    TracedStore(modelContainer: container, modelExecutor: executor(ModelContext(container), thread))
  }

  private func executor(_ context: ModelContext, _ thread: ThreadExecutor) -> any ModelExecutor {
    switch self {
    case .own: DefaultSerialModelExecutor(modelContext: context)
    case .queue: DefaultSerialModelExecutor(modelContext: context, queue: Place.queue())
    case .thread: DefaultSerialModelExecutor(modelContext: context, executor: thread)
    case .handWritten: HandWrittenExecutor(modelContext: context, thread: thread)
    case .loose: LooseExecutor(modelContext: context)
    }
  }
}

/// Holds a reference to an object, usually the last one, and releases it on another thread.
final class LastReference: @unchecked Sendable {
  // Sendable without checks: the other thread only releases the object.
  private var object: AnyObject?

  init(_ object: AnyObject) { self.object = object }

  /// Releases the object on a new thread, and waits until that has happened.
  func dropElsewhere() {
    let dropped = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [self] in
      object = nil
      dropped.signal()
    }
    dropped.wait()
  }
}
