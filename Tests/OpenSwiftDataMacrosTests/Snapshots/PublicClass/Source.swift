@Model
public class Trip {
  public var name: String
  public private(set) var days: Int

  public init(name: String, days: Int) {
    self.name = name
    self.days = days
  }
}
