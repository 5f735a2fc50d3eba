// The generic argument of a reference (`Model`) has to be a model.
// expect: type 'String' does not conform to protocol 'PersistentModel'
import OpenSwiftData

private func use(_ reference: Model<String>) {}
