import Foundation

/// Placeholders of Foundation types that decode from no minimal input, or that only transformers store.
///
/// Some decode from empty input to unsound values: a time zone tracks the system's, and a character set crashes on
/// deallocation.
extension Placeholder {
  static func foundationValue<T>(_ type: T.Type) -> T? {
    if let make = makers[ObjectIdentifier(type)] { return make() as? T }
    return nil
  }

  private static let makers: [ObjectIdentifier: @Sendable () -> Any] = [
    ObjectIdentifier(TimeZone.self): { TimeZone.gmt },
    ObjectIdentifier(Calendar.self): { Calendar(identifier: .gregorian) },
    ObjectIdentifier(Locale.self): { Locale(identifier: "") },
    ObjectIdentifier(CharacterSet.self): { CharacterSet() },
    ObjectIdentifier(NSString.self): { NSString() },
    ObjectIdentifier(NSNumber.self): { NSNumber(value: 0) },
    ObjectIdentifier(NSData.self): { NSData() },
    ObjectIdentifier(NSDate.self): { NSDate(timeIntervalSinceReferenceDate: 0) },
    ObjectIdentifier(NSUUID.self): { NSUUID(uuidString: "00000000-0000-0000-0000-000000000000") ?? NSUUID() },
    ObjectIdentifier(NSURL.self): { NSURL(fileURLWithPath: "/") },
    ObjectIdentifier(NSArray.self): { NSArray() },
    ObjectIdentifier(NSDictionary.self): { NSDictionary() },
    ObjectIdentifier(NSSet.self): { NSSet() },
    ObjectIdentifier(NSMutableString.self): { NSMutableString(string: "") },
    ObjectIdentifier(NSMutableData.self): { NSMutableData() },
    ObjectIdentifier(NSMutableArray.self): { NSMutableArray() },
    ObjectIdentifier(NSMutableDictionary.self): { NSMutableDictionary() },
    ObjectIdentifier(NSMutableSet.self): { NSMutableSet() },
    ObjectIdentifier(NSAttributedString.self): { NSAttributedString(string: "") },
  ]
}
