#if Encryption
  import BenchmarkCore
  import CSQLiteBenchmark
  import Crypto
  import Foundation

  /// The situation with encrypted texts, in hand-written code: a table with a blob for each text.
  ///
  /// The blobs have the form of the library's blobs (decision 15): a version byte, the nonce, the ciphertext and the
  /// tag of AES-GCM. The encrypted bytes are a byte for the kind of value and the bytes of the text, and the names of
  /// the table and the column are authenticated.
  struct RawLetterStore {
    private let connection: RawConnection
    private let transactions: RawTransactions
    private let cipher: RawCipher

    init(_ connection: RawConnection, key: [UInt8]) throws {
      self.connection = connection
      cipher = RawCipher(key: SymmetricKey(data: key))
      try connection.execute("CREATE TABLE letter(id INTEGER PRIMARY KEY, name TEXT NOT NULL, text BLOB NOT NULL)")
      transactions = try RawTransactions(on: connection)
    }

    func run(_ plan: SituationPlan, _ stopwatch: Stopwatch) throws -> Int {
      let letters = plan.makeLetters().map { RawLetter($0) }
      let insert = try connection.prepare("INSERT INTO letter(name, text) VALUES (?, ?)")
      try stopwatch.measure {
        try transactions.run {
          for letter in letters { try letter.insert(with: insert, cipher) }
        }
      }
      let found = try fetch(stopwatch)
      return found.reduce(0) { $0 &+ LetterValues(name: $1.name, text: $1.text).checksum }
    }

    private func fetch(_ stopwatch: Stopwatch) throws -> [RawLetter] {
      let fetch = try connection.prepare("SELECT id, name, text FROM letter")
      return try stopwatch.measure {
        var letters: [RawLetter] = []
        var failure: (any Error)?
        try fetch.forEachRow { row in
          do { letters.append(try RawLetter(row: row, cipher)) } catch { failure = error }
        }
        if let failure { throw failure }
        return letters
      }
    }
  }

  /// The hand-written class of a letter.
  final class RawLetter {
    var id: Int64
    var name: String
    var text: String

    init(_ values: LetterValues) {
      (id, name, text) = (0, values.name, values.text)
    }

    init(row: OpaquePointer, _ cipher: RawCipher) throws {
      id = sqlite3_column_int64(row, 0)
      name = RawText.read(row, 1) ?? ""
      let sealed = UnsafeRawBufferPointer(start: sqlite3_column_blob(row, 2), count: Int(sqlite3_column_bytes(row, 2)))
      text = try cipher.open(sealed)
    }

    func insert(with statement: RawStatement, _ cipher: RawCipher) throws {
      let sealed = try cipher.seal(text)
      var name = name
      try name.withUTF8 { name in
        try sealed.withUnsafeBytes { bytes in
          RawText.bind(name, statement.handle, 1)
          sqlite3_bind_blob(statement.handle, 2, bytes.baseAddress, Int32(bytes.count), nil)
          try statement.run()
        }
      }
    }
  }

  /// Encrypts texts with AES-GCM.
  struct RawCipher {
    private static let version: UInt8 = 1
    private static let textKind = UInt8(SQLITE_TEXT)

    let key: SymmetricKey
    private let owner = Data("letter.text".utf8)

    init(key: SymmetricKey) {
      self.key = key
    }

    func seal(_ text: String) throws -> Data {
      var plain = Data([Self.textKind])
      plain.append(contentsOf: text.utf8)
      let box = try AES.GCM.seal(plain, using: key, authenticating: owner)
      var sealed = Data(capacity: plain.count + 29)
      sealed.append(Self.version)
      sealed.append(contentsOf: box.nonce)
      sealed.append(box.ciphertext)
      sealed.append(box.tag)
      return sealed
    }

    func open(_ bytes: UnsafeRawBufferPointer) throws -> String {
      guard bytes.first == Self.version else { throw CryptoKitError.authenticationFailure }
      let box = try AES.GCM.SealedBox(combined: Data(bytes.dropFirst()))
      return String(decoding: try AES.GCM.open(box, using: key, authenticating: owner).dropFirst(), as: UTF8.self)
    }
  }
#endif
