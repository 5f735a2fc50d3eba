import SwiftData

/// A place on Earth, in degrees; north and east are positive.
struct Coordinates: Codable, Hashable {
  var latitude: Double
  var longitude: Double
}

extension Coordinates {
  /// Reads the form of ISO 6709 that the tz database uses: `+5130-00007` or, with seconds, `+404251-0740023`.
  init?(iso6709 text: Substring) {
    guard let second = text.dropFirst().firstIndex(where: { $0 == "+" || $0 == "-" }) else { return nil }
    guard let latitude = Self.degrees(text[..<second], degreeDigits: 2) else { return nil }
    guard let longitude = Self.degrees(text[second...], degreeDigits: 3) else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }

  /// Reads a sign, degrees, two digits of minutes, and perhaps two of seconds.
  private static func degrees(_ text: Substring, degreeDigits: Int) -> Double? {
    let digits = text.dropFirst()
    guard digits.allSatisfy({ ("0"..."9").contains($0) }) else { return nil }
    guard digits.count == degreeDigits + 2 || digits.count == degreeDigits + 4 else { return nil }
    let degrees = Double(digits.prefix(degreeDigits)) ?? 0
    let minutes = Double(digits.dropFirst(degreeDigits).prefix(2)) ?? 0
    let seconds = Double(digits.dropFirst(degreeDigits + 2)) ?? 0
    return (degrees + minutes / 60 + seconds / 3600) * (text.first == "-" ? -1 : 1)
  }
}

extension Coordinates: CustomStringConvertible {
  var description: String {
    let north = Self.text(latitude, positive: "N", negative: "S")
    return "\(north) \(Self.text(longitude, positive: "E", negative: "W"))"
  }

  private static func text(_ degrees: Double, positive: String, negative: String) -> String {
    let minutes = Int((abs(degrees) * 60).rounded())
    let rest = minutes % 60
    return "\(minutes / 60)°\(rest < 10 ? "0" : "")\(rest)′\(degrees < 0 ? negative : positive)"
  }
}
