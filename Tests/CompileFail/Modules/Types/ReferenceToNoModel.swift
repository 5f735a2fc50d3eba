// A reference is to a model.
// expect: type 'String' does not conform to protocol 'PersistentModel'
import OpenSwiftData

private func use(_ reference: Model<String>) {}
