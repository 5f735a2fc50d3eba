// Names that Foundation lacks and the library supplies. They are not visible in a file that imports only Foundation.
// expect: cannot find type 'ValueTransformer' in scope
// expect: cannot find type 'NSSecureUnarchiveFromDataTransformer' in scope
// expect: cannot find 'NSValueTransformerName' in scope
// expect: cannot find type 'UndoManager' in scope
// expect: cannot find 'NSUndoManagerGroupIsDiscardableKey' in scope
// expect: cannot find type 'LocalizedTextComparator' in scope
// expect: unknown attribute 'Observable'
import Foundation

final class Upright: ValueTransformer {}

final class Archived: NSSecureUnarchiveFromDataTransformer {}

let name = NSValueTransformerName("Upright")

func undo(with manager: UndoManager) { manager.undo() }

let key = NSUndoManagerGroupIsDiscardableKey

func byLocale() -> LocalizedTextComparator { .localized }

@Observable final class Screen {
  var title = ""
}
