// `@ModelActor` cannot be applied to a class, because only an actor has an executor.
// expect: '@ModelActor' cannot be applied to class type 'ClassStore'; only an actor has an executor
import SwiftData

@ModelActor final class ClassStore {}
