/// What a file is encrypted with.
///
/// Never printed: a description says that there is one, and nothing else.
public struct EncryptionKey: Sendable, Hashable {
    let bytes: [UInt8]

    /// A key made of a passphrase, in a way that takes SQLCipher some tenths of a second each time a file is opened (PBKDF2).
    public static func passphrase(_ text: String) -> EncryptionKey { EncryptionKey(bytes: Array(text.utf8)) }

    /// A key of 32 random bytes, taken as it is.
    ///
    /// - Precondition: There are 32.
    public static func raw(_ bytes: [UInt8]) -> EncryptionKey {
        precondition(bytes.count == 32, "a raw key has 32 bytes")
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return EncryptionKey(bytes: Array("x'\(digits)'".utf8))
    }
}

extension EncryptionKey: CustomStringConvertible, CustomReflectable {
    /// That it is one.
    public var description: String { "an encryption key" }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
