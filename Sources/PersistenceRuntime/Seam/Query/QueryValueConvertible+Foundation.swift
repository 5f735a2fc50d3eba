import Foundation

extension String: QueryValueConvertible {
  package var queryValue: QueryValue { .text(self, .text) }
}

extension Date: QueryValueConvertible {
  package var queryValue: QueryValue { timeIntervalSinceReferenceDate.queryValue }
}

extension UUID: QueryValueConvertible {
  package var queryValue: QueryValue { .blob(withUnsafeBytes(of: uuid) { Data($0) }, .blob) }
}

extension Data: QueryValueConvertible {
  package var queryValue: QueryValue { .blob(self, .blob) }
}

extension URL: QueryValueConvertible {
  package var queryValue: QueryValue { .text(storedText, .text) }
}
