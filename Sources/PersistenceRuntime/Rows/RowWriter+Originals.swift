import PersistenceSupport

// Values that are not their own stored form. Nothing here runs for others.

extension RowWriter {
  /// Binds the stored form of a text that may differ from it, and notes the text if it does.
  @usableFromInline
  @inline(never)
  func bindForm(of text: String, _ parameter: Int32) -> Int32 {
    guard storesForms, let form = StoredText.differingForm(of: text) else { return bindText(text, parameter) }
    note(text, parameter)
    return bindText(form, parameter)
  }

  /// Binds not-a-number or -0.0.
  @usableFromInline
  @inline(never)
  func bindUnlikelyReal(_ value: Double, _ parameter: Int32) -> Int32 {
    if value.isNaN { return bindText(NotANumber.text(of: value), parameter) }
    guard storesForms else { return functions.pointee.real(statement, parameter, value) }
    note(OriginalNotes.negativeZero, parameter)
    return functions.pointee.real(statement, parameter, 0)
  }

  private func note(_ original: String, _ parameter: Int32) {
    guard let notes = session.originals, session.objects.indices.contains(index),
      session.entity.keepsOriginal(
        ofParameter: Int(parameter) - (session.keyComesFirst ? 2 : 1), mask: mask)
    else { return }
    notes.note(
      OriginalNotes.Note(
        row: index, key: session.key(ofObjectAt: index), parameter: parameter, original: original))
  }
}

extension EntityLayout {
  /// Whether a value comes back as it was written, and not only equal to that: any but the raw value of an enum, of
  /// which the case is what comes back.
  ///
  /// - Parameter index: The index of the column among those of the properties in the mask.
  fileprivate func keepsOriginal(ofParameter index: Int, mask: UInt64) -> Bool {
    var index = index
    for property in properties where property.bit & mask != 0 {
      if index < property.columns.count { return index >= 0 && property.keepsOriginal(ofColumn: index) }
      index -= property.columns.count
    }
    return false
  }
}

extension PropertyLayout {
  fileprivate func keepsOriginal(ofColumn index: Int) -> Bool {
    let part = composite?.parts.first { $0.inner == nil && $0.column == index }
    let type = PropertyType(part?.type ?? valueType).wrapped
    return RawStorage.type(of: type) == nil || !MetadataKind.isEnum(type)
  }
}
