import OpenSwiftData

/// The one way to the aggregates of one kind: an actor with a context that no other code has.
///
/// What goes in and out is references, values, and closures that run in the actor. Models stay inside, and the compiler
/// sees to it; so two repositories cannot be mixed up, although they share a container.
protocol Repository: ModelActor {
  /// The model that an aggregate is reached by.
  associatedtype Root: ValueReadable
}

extension Repository {
  /// Makes an aggregate and saves it.
  func add(_ make: @Sendable () throws -> Root) throws -> Model<Root> {
    try whole {
      let root = try make()
      modelContext.insert(root)
      return Model(root)
    }
  }

  /// Changes an aggregate and saves it. If anything is refused, nothing of the change remains.
  func change<Result: Sendable>(
    _ root: Model<Root>, _ body: @Sendable (Root) throws -> Result
  ) throws -> Result {
    try whole { try body(modelContext.get(root)) }
  }

  /// Removes an aggregate with all that belongs to it.
  func remove(_ root: Model<Root>) throws {
    try whole { modelContext.delete(try modelContext.get(root)) }
  }

  /// What the store has of the aggregates that a descriptor means. No models are made.
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
