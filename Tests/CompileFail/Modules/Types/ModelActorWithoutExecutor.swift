// An actor that says by hand that it is a model actor has to have a context.
// expect: type 'BareStore' does not conform to protocol 'ModelActor'
import SwiftData

private actor BareStore: ModelActor {}
