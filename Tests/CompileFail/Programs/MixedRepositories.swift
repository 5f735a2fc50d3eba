// A reference to a model of one repository cannot be passed to another repository.
// expect: cannot convert value of type 'Model<Category>' to expected argument type 'Model<Baskets.Root>'
import OpenSwiftData

@Model final class Category {
  var name: String

  init(_ name: String) { self.name = name }
}

@Model final class Basket {
  var category: Category?

  init() {}
}

protocol Repository: ModelActor {
  associatedtype Root: PersistentModel
}

extension Repository {
  func change(_ root: Model<Root>, _ body: @Sendable (Root) throws -> Void) throws {
    try body(modelContext.get(root))
    try modelContext.save()
  }
}

@ModelActor actor Categories: Repository { typealias Root = Category }

@ModelActor actor Baskets: Repository { typealias Root = Basket }

func relate(_ category: Model<Category>, in baskets: Baskets) async throws {
  try await baskets.change(category) { _ in }
}
