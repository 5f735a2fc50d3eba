#if PostgreSQL
  import Foundation

  /// Helpers for tests of a network on one machine.
  package enum TestNetwork {
    /// A TCP port of this machine on which no process listens.
    package static func freePort() throws -> Int {
      let socket = try listener()
      defer { close(socket.descriptor) }
      return socket.port
    }

    /// A socket that accepts connections but never sends a response. The caller must close it.
    package static func listener() throws -> (descriptor: Int32, port: Int) {
      let descriptor = socket(AF_INET, streamType, 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
          bind(descriptor, pointer, length) == 0 && listen(descriptor, 16) == 0
            && getsockname(descriptor, pointer, &length) == 0
        }
      }
      guard descriptor >= 0, isBound else { throw NetworkFailure(code: errno) }
      return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    #if canImport(Glibc)
      package static let streamType = Int32(SOCK_STREAM.rawValue)
    #else
      package static let streamType = SOCK_STREAM
    #endif

    /// Runs a program of the system, waits for its end, and throws if it fails.
    package static func run(_ arguments: [String]) throws {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = arguments
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw NetworkFailure(code: process.terminationStatus) }
    }
  }

  /// The error of a failed system call or program.
  package struct NetworkFailure: Error {
    let code: Int32
  }

  /// A test certificate authority, and a server certificate that it signed for one host name. OpenSSL creates both.
  package struct TestCertificate {
    /// The folder with `authority.pem`, `server.crt` and `server.key`. The test that creates the certificate must
    /// delete it.
    package let folder: URL

    package init(for name: String) throws {
      folder = URL(filePath: "/tmp/osd-certificate-\(UUID().uuidString.prefix(8))")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let names = folder.appending(path: "names")
      try Data("subjectAltName=DNS:\(name)".utf8).write(to: names)
      func path(_ file: String) -> String { folder.appending(path: file).path(percentEncoded: false) }
      try TestNetwork.run([
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Tests", "-keyout",
        path("authority.key"), "-out", path("authority.pem"),
      ])
      try TestNetwork.run([
        "openssl", "req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=\(name)", "-keyout", path("server.key"),
        "-out",
        path("request.pem"),
      ])
      try TestNetwork.run([
        "openssl", "x509", "-req", "-in", path("request.pem"), "-CA", path("authority.pem"), "-CAkey",
        path("authority.key"), "-CAcreateserial", "-days", "2", "-extfile", path("names"), "-out", path("server.crt"),
      ])
    }

    package var authority: String { folder.appending(path: "authority.pem").path(percentEncoded: false) }

    package func content(_ file: String) throws -> Data { try Data(contentsOf: folder.appending(path: file)) }

    package func remove() { try? FileManager.default.removeItem(at: folder) }
  }
#endif
