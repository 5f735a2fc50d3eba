import PersistenceCore

/// Stands in for the models of the sample entities, whose rows are written and read without any.
@Model
final class SampleModel {
  init() {}
}
