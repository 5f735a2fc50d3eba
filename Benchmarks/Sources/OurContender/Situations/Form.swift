import BenchmarkCore
import Foundation
import SwiftData

/// A model with seven properties. Each pair of marks makes an entity of its own, such as `Form<A, B>`.
///
/// The class is generic so that 200 entities need no 200 declarations, which took the compiler 62 s more. The library
/// treats each pair as a separate model, with its own table. With 200 declared classes, a new file takes 6 % less time
/// and the first opening of a process 8 % less. Another opening takes a third less, because the runtime computes the
/// name of a generic type from its parts.
@Model final class Form<First: FormMark, Second: FormMark> {
  var name: String
  var count: Int
  var price: Double
  var isOpen: Bool
  var made: Date
  var note: String?
  var tags: [String]

  init(name: String) {
    (self.name, count, price, isOpen, made, note, tags) = (name, 0, 0, false, .distantPast, nil, [])
  }
}

/// A type that distinguishes entities. It has no values.
protocol FormMark: SendableMetatype {}

/// The large schema, and its openings.
enum Forms {
  enum A: FormMark {}
  enum B: FormMark {}
  enum C: FormMark {}
  enum D: FormMark {}
  enum E: FormMark {}
  enum F: FormMark {}
  enum G: FormMark {}
  enum H: FormMark {}
  enum I: FormMark {}
  enum J: FormMark {}
  enum K: FormMark {}
  enum L: FormMark {}
  enum M: FormMark {}
  enum N: FormMark {}
  enum O: FormMark {}

  private static let marks: [any FormMark.Type] = [
    A.self, B.self, C.self, D.self, E.self, F.self, G.self, H.self, I.self, J.self, K.self, L.self, M.self, N.self,
    O.self,
  ]

  /// Opens the file of an earlier process twice, or creates a new file. Each opening is measured with its first query.
  static func open(_ file: URL, _ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
    let openings = FileManager.default.fileExists(atPath: file.path) ? 2 : 1
    return try (0..<openings).reduce(0) { sum, _ in
      try stopwatch.measure { try openAndCount(file, models(plan.entities)) } + sum
    }
  }

  private static func openAndCount(_ file: URL, _ models: [any PersistentModel.Type]) throws -> Int {
    let container = try ModelContainer(for: Schema(models), configurations: .withoutHistory(file))
    return try ModelContext(container).fetchCount(FetchDescriptor<Form<A, A>>())
  }

  private static func models(_ count: Int) -> [any PersistentModel.Type] {
    Array(marks.lazy.flatMap { first in marks.lazy.map { second in model(first, second) } }.prefix(count))
  }

  private static func model<First: FormMark>(
    _ first: First.Type, _ second: any FormMark.Type
  ) -> any PersistentModel.Type {
    func form<Second: FormMark>(_ second: Second.Type) -> any PersistentModel.Type { Form<First, Second>.self }
    return form(second)
  }
}
