// The compiler rejects hand-written declarations with names from SwiftData's betas. Its message gives the present name.
// expect: type 'Store' does not conform to protocol 'ModelActor'
// expect: 'ModelActor': name the executor of the actor 'modelExecutor', which was 'executor'; or let '@ModelActor' write it
// expect: deprecated default implementation is used to satisfy property 'modelContainer' required by protocol 'ModelActor': declare it: nonisolated let modelContainer: ModelContainer
// expect: type 'Executor' does not conform to protocol 'ModelExecutor'
// expect: 'ModelExecutor': name the context of the executor 'modelContext', which was 'context'
// expect: type 'Memo' does not conform to protocol 'PersistentModel'
// expect: 'PersistentModel': name the backing data of the model 'persistentBackingData', which was 'backingData'
// expect: 'PersistentModel': list the properties of the model in 'static var schemaMetadata: [Schema.PropertyMetadata]'; it was a function
import SwiftData

actor Store: ModelActor {
  nonisolated let executor: any ModelExecutor

  init(_ executor: any ModelExecutor) { self.executor = executor }
}

final class Executor: SerialModelExecutor, @unchecked Sendable {
  let context: ModelContext

  init(_ context: ModelContext) { self.context = context }

  func enqueue(_ job: consuming ExecutorJob) {}
}

final class Memo: PersistentModel {
  var backingData: any BackingData<Memo>

  init(backingData: any BackingData<Memo>) { self.backingData = backingData }

  static func schemaMetadata() -> [(String, AnyKeyPath, Any?, Any?)] { [] }
}
