import SwiftData

extension String {
  /// The text in lower case and without accents, the form in which names are searched.
  var searchForm: String {
    folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
  }
}
