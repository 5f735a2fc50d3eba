// An actor that conforms to `ModelActor` without the macro has to declare an executor and a container.
// expect: type 'BareStore' does not conform to protocol 'ModelActor'
// expect: name the executor of the actor 'modelExecutor'
// expect: declare it: nonisolated let modelContainer: ModelContainer
import SwiftData

private actor BareStore: ModelActor {}
