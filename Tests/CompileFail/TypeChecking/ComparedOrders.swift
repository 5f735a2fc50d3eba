// Sort descriptors that compare texts according to the locale. Foundation on Linux lacks this comparison, so
// `PlainModels.swift` declares the initialisers that it needs.
#if STORED
  import SwiftData
#else
  import Foundation
#endif

func compared() -> [SortDescriptor<Memo>] {
  [
    SortDescriptor(\Memo.title, comparator: .localizedStandard), SortDescriptor(\Memo.made, order: .reverse),
    SortDescriptor(\Memo.subtitle, comparator: .localized, order: .reverse),
    SortDescriptor(\Memo.notes, comparator: .lexical),
  ]
}
