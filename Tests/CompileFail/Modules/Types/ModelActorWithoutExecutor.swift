// An actor that says by hand that it is a model actor has to have a context.
// expect: type 'BareStore' does not conform to protocol 'ModelActor'
// expect: name the executor of the actor 'modelExecutor'
// expect: declare it: nonisolated let modelContainer: ModelContainer
import SwiftData

private actor BareStore: ModelActor {}
