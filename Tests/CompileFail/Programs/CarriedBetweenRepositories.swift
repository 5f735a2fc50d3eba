// The closure of one repository cannot capture a model of another repository.
// expect: capture of 'basket' with non-Sendable type 'Baskets.Root' (aka 'Basket') in a '@Sendable' closure
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

  func take(_ root: Model<Root>) throws -> Root { try modelContext.get(root) }
}

@ModelActor actor Categories: Repository { typealias Root = Category }

@ModelActor actor Baskets: Repository { typealias Root = Basket }

func carry(_ basket: Model<Basket>, out baskets: Baskets, to category: Model<Category>, in categories: Categories)
  async throws
{
  let basket = try await baskets.take(basket)
  try await categories.change(category) { category in basket.category = category }
}
