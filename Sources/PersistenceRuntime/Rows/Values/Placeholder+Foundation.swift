import Foundation

/// Values of Foundation's types that cannot be decoded from anything empty, or that only transformers store.
///
/// Some take nothing and are no sound values then: a time zone follows the system's, and a set of characters stops the
/// program when it goes.
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
