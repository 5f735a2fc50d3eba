import SeededNumbers
import SwiftData

/// Uses a damaged store as a program would, and prints the name of each step before it runs.
///
/// Operations may throw errors. The process must not crash.
final class Exercise {
  let folder: URL
  let version: any VersionedSchema.Type
  let allowsSave: Bool
  let name: String
  var generator: SeededGenerator

  init(_ folder: URL, _ version: any VersionedSchema.Type, allowsSave: Bool, seed: UInt64, name: String) {
    (self.folder, self.version, self.allowsSave, self.name) = (folder, version, allowsSave, name)
    generator = SeededGenerator(seed: seed)
  }

  func run() {
    var opened: ModelContainer?
    step("open") { opened = try DamageStore.container(of: version, in: folder, allowsSave: allowsSave) }
    guard let container = opened else { return }
    opened = nil
    let models = version.models
    for model in models { read(model, ModelContext(container)) }
    if version == DamageV1.self { query(ModelContext(container)) }
    guard chance(2) || allowsSave else { return }
    for _ in 0..<3 {
      guard let model = models.randomElement(using: &generator) else { continue }
      edit(model, ModelContext(container))
    }
    if version == DamageV1.self { editLists(ModelContext(container)) }
    step("erase") { if chance(8) { try container.erase() } }
  }

  /// Prints the name of a step and runs it, so that the last line before a crash names the step.
  func step(_ words: String, _ body: () throws -> Void) {
    say("step \(name): \(words)")
    do {
      try body()
    } catch let error as SwiftDataError {
      // Creating the description of an error must not crash either.
      say("threw \(error.description.prefix(600))")
    } catch {
      say("strange \(type(of: error)) in \(words): \(error)")
    }
  }

  func chance(_ divisor: Int) -> Bool { Int.random(in: 0..<divisor, using: &generator) == 0 }
}
