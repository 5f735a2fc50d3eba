final class Trip {
  @_PersistedProperty(0) var days = 1
  @_PersistedProperty(1) var mood: Mood = .calm
}
