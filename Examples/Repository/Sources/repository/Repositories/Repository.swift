import OpenSwiftData

/// The only access to the aggregates of one kind: an actor with a context that no other code has.
///
/// Only references, values, and closures that run in the actor are passed in and out. Models stay inside, which the
/// compiler enforces; so two repositories cannot be mixed up, although they share a container.
protocol Repository: ModelActor {
  /// The root model of an aggregate.
  associatedtype Root: ValueReadable
}

extension Repository {
  /// Creates an aggregate and saves it.
  func add(_ make: @Sendable () throws -> Root) throws -> Model<Root> {
    try whole {
      let root = try make()
      modelContext.insert(root)
      return Model(root)
    }
  }

  /// Changes an aggregate and saves it. If an error is thrown, nothing of the change remains.
  func change<Result: Sendable>(
    _ root: Model<Root>, _ body: @Sendable (Root) throws -> Result
  ) throws -> Result {
    try whole { try body(modelContext.get(root)) }
  }

  /// Deletes an aggregate with all of its parts.
  func remove(_ root: Model<Root>) throws {
    try whole { modelContext.delete(try modelContext.get(root)) }
  }

  /// The stored values of the aggregates that match a descriptor. No models are created.
  func values(_ descriptor: FetchDescriptor<Root> = FetchDescriptor()) throws -> [Root.Value] {
    try modelContext.fetchValues(descriptor)
  }

  /// Runs a change of one aggregate and saves it, or undoes all of it.
  private func whole<Result>(_ change: () throws -> Result) throws -> Result {
    do {
      let result = try change()
      try modelContext.save()
      return result
    } catch {
      modelContext.rollback()
      throw error
    }
  }
}

/// The categories, with their items.
@ModelActor
actor CategoryRepository: Repository {
  typealias Root = Category

  /// References to the items of a category, by title.
  func items(of category: Model<Category>) throws -> [String: Model<Item>] {
    let items = try modelContext.get(category).items
    return Dictionary(items.map { ($0.title, Model($0)) }) { first, _ in first }
  }
}

/// The baskets.
@ModelActor
actor BasketRepository: Repository {
  typealias Root = Basket
}
