import SwiftData

extension Exercise {
  /// Edits rows of an entity: assigns property values of one row to another row, and saves.
  func edit(_ model: any PersistentModel.Type, _ context: ModelContext) { editAll(model, context) }

  private func editAll<T: PersistentModel>(_ model: T.Type, _ context: ModelContext) {
    let manager = UndoManager()
    if chance(2) { context.undoManager = manager }
    var rows: [T] = []
    step("fetch \(T.self) to edit") { rows = try context.fetch(FetchDescriptor<T>()) }
    // If one damaged row makes the fetch fail, the rows may still be usable when they are fetched one by one.
    if rows.isEmpty { step("stand-ins of \(T.self)") { rows = try standIns(context) } }
    for _ in 0..<4 {
      guard let row = rows.randomElement(using: &generator), let other = rows.randomElement(using: &generator),
        let property = T.schemaMetadata.randomElement(using: &generator)
      else { break }
      step("assign \(T.self).\(property.name)") { assign(property.keypath, of: other, to: row) }
    }
    if let row = rows.randomElement(using: &generator), chance(2) { step("delete \(T.self)") { context.delete(row) } }
    if chance(6) { step("delete all \(T.self)") { try context.delete(model: T.self) } }
    step("changes of \(T.self)") { _ = (context.changedModelsArray.count, context.deletedModelsArray.count) }
    finish(context, manager)
    step("touch \(T.self) afterwards") { for row in rows.prefix(5) { touch(row) } }
  }

  private func standIns<T: PersistentModel>(_ context: ModelContext) throws -> [T] {
    try context.fetchIdentifiers(FetchDescriptor<T>()).prefix(10).compactMap { context.model(for: $0) as? T }
  }

  private func finish(_ context: ModelContext, _ manager: UndoManager) {
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: step("rollback") { context.rollback() }
    case 1:
      step("undo") {
        context.processPendingChanges()
        if manager.canUndo { manager.undo() }
        if manager.canRedo { manager.redo() }
      }
      step("save after undo") { try context.save() }
    case 2: step("transaction") { try context.transaction { try context.save() } }
    default: step("save") { try context.save() }
    }
    step("rollback at the end") { context.rollback() }
  }

  private func assign<T: PersistentModel>(_ path: AnyKeyPath, of source: T, to target: T) {
    let type = Swift.type(of: path).valueType
    func open<Value>(_ type: Value.Type) {
      guard let path = path as? ReferenceWritableKeyPath<T, Value> else { return }
      target[keyPath: path] = source[keyPath: path]
    }
    open(type)
  }

  /// Inserts, moves and removes objects in to-many relationships, and saves.
  func editLists(_ context: ModelContext) {
    var authors: [DamageV1.Author] = []
    var tags: [DamageV1.Tag] = []
    step("fetch to edit lists") {
      authors = try context.fetch(FetchDescriptor<DamageV1.Author>())
      tags = try context.fetch(FetchDescriptor<DamageV1.Tag>())
    }
    for _ in 0..<4 {
      guard let author = authors.randomElement(using: &generator) else { break }
      let choice = Int.random(in: 0..<10, using: &generator)
      step("list \(choice)") { edit(author, tags.randomElement(using: &generator), authors, choice) }
      step("list of books \(choice)") {
        if let book = author.books.randomElement(using: &generator) { edit(book, tags) }
      }
    }
    editFolders(context)
    step("change elsewhere") { try changeElsewhere(authors, context) }
    step("delete by predicate") {
      guard chance(3) else { return }
      try context.delete(model: DamageV1.Book.self, where: #Predicate { $0.pages > 15 && $0.tags.count > 1 })
    }
    step("save lists") { try context.save() }
    step("rollback lists") { context.rollback() }
    step("read lists again") { for author in authors { _ = (author.books.map(\.title), author.following.map(\.name)) } }
  }

  private func edit(
    _ author: DamageV1.Author, _ tag: DamageV1.Tag?, _ authors: [DamageV1.Author], _ choice: Int
  ) {
    switch choice {
    case 0: author.books.append(DamageV1.Book("new", pages: 1))
    case 1: if author.books.count > 1 { author.books.swapAt(0, author.books.count - 1) }
    case 2: author.books.sort { $0.pages > $1.pages }
    case 3: if !author.books.isEmpty { author.books.removeFirst() }
    case 4: author.books.insert(DamageV1.Book("first", pages: 1), at: 0)
    case 5: author.following.reverse()
    case 6: if let other = authors.last { author.following.append(other) }
    case 7: if let tag { author.interests.append(tag) }
    case 8: author.followers.removeAll()
    default: author.passport = authors.first?.passport
    }
  }

  /// Changes rows in this context, and in another context that saves first, so that the next save has to detect
  /// conflicts.
  private func changeElsewhere(_ authors: [DamageV1.Author], _ context: ModelContext) throws {
    for author in authors.prefix(2) { author.age &+= 1 }
    let samples = try context.fetch(FetchDescriptor<DamageV1.Sample>())
    for sample in samples.prefix(2) { sample.name += "!" }
    let other = ModelContext(context.container)
    for author in try other.fetch(FetchDescriptor<DamageV1.Author>()) { author.name += "?" }
    for sample in try other.fetch(FetchDescriptor<DamageV1.Sample>()).prefix(4) { sample.names.reverse() }
    try other.save()
  }

  private func edit(_ book: DamageV1.Book, _ tags: [DamageV1.Tag]) {
    book.tags.insert(contentsOf: tags.prefix(1).filter { !book.tags.contains($0) }, at: 0)
    book.tags.shuffle(using: &generator)
    if book.tags.count > 2 { book.tags.removeLast() }
  }

  private func editFolders(_ context: ModelContext) {
    step("folders") {
      let folders = try context.fetch(FetchDescriptor<DamageV1.Folder>())
      for folder in folders { _ = (folder.children.map(\.name), folder.next?.name, folder.previous?.name) }
      guard let folder = folders.randomElement(using: &generator), let other = folders.first else { return }
      folder.next = other
      folder.parent = chance(3) ? folder : other
      if chance(2) { context.delete(folder) }
      context.insert(DamageV1.Folder("new"))
    }
    step("insert") {
      let place = Place(city: "c", number: 1, corner: Point(x: 1, y: 2, label: nil), other: nil, mood: .calm)
      context.insert(DamageV1.Sample(code: "code 1", name: "new", place: place, route: Route(stops: [])))
      let garage = try context.fetch(FetchDescriptor<DamageV1.Garage>()).first
      if let garage { _ = (garage.keeper.name, garage.vehicles.map(\.name)) }
    }
  }
}
