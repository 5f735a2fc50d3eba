final class Trip {
  @_PersistedProperty(0) var days: Int = 1 {
    willSet(next) { print(next) }
    didSet { print(oldValue) }
  }
  @_PersistedProperty(1) var name: String {
    didSet { save() }
  }
  @_PersistedProperty(2) var mood: Mood {
    didSet(before) { print(before) }
  }
}
