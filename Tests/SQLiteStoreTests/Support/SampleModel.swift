import PersistenceCore

/// The model type of the sample entities, whose rows are written and read without objects.
@Model
final class SampleModel {
  init() {}
}
