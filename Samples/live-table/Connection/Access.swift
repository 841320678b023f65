import Foundation

/// What a server is shown: a token, or an account to sign in with.
struct Access: Sendable {
    /// Who somebody is to a server.
    struct Account: Sendable {
        let name: String
        let password: String
    }

    let token: String?
    let account: Account?

    /// Reads the files that were named.
    init(_ arguments: Arguments) throws(Failure) {
        guard arguments.tokenFile == nil || arguments.accountFile == nil else {
            throw .usage("Give a token or an account, not both.")
        }
        token = try arguments.tokenFile.map { path throws(Failure) in try Self.token(path) }
        account = try arguments.accountFile.map { path throws(Failure) in try Self.account(path) }
    }

    private static func token(_ path: String) throws(Failure) -> String {
        let token = try text(path, "token")[...].trimmed
        guard !token.isEmpty, token.unicodeScalars.allSatisfy({ (0x21...0x7E).contains($0.value) }) else {
            throw .usage("The token file \(path) has to hold one token of plain letters, digits and signs.")
        }
        return token
    }

    private static func account(_ path: String) throws(Failure) -> Account {
        let lines = try text(path, "account").split(whereSeparator: \.isNewline).map(String.init)
        guard lines.count == 2 else {
            throw .usage("The account file \(path) has to hold two lines: a name, and a password.")
        }
        return Account(name: lines[0][...].trimmed, password: lines[1])
    }

    private static func text(_ path: String, _ what: String) throws(Failure) -> String {
        guard FileManager.default.fileExists(atPath: path) else {
            throw .usage("The \(what) file \(path) is not there.")
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw .usage("The \(what) file \(path) cannot be read.")
        }
        return text
    }
}
