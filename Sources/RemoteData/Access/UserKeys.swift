/// The idempotency keys of one user as a table keeps them: apart from those of all others.
///
/// A key of a user is put behind the user's id, whose length comes first, so that no two can be mistaken. Nobody can be
/// told from nobody: such a key is put behind what the write says, so that only the very same write is answered again.
struct UserKeys: Sendable {
    private let id: String?
    private let prefix: String

    init(_ user: AccessUser) {
        id = user.id
        prefix = user.id.map { "\u{1}u\($0.utf8.count):\($0)" } ?? "\u{1}n"
    }

    /// How many bytes keys get longer by.
    var overhead: Int { prefix.utf8.count + (id == nil ? Self.digestLength : 0) }

    /// A user's key as the table keeps it.
    ///
    /// - Complexity: O(1); for nobody, O(bytes of the write).
    func stored(_ key: String?, for mutation: Mutation) -> String? {
        key.map { prefix + (id == nil ? Self.digest(mutation) : "") + $0 }
    }

    /// The user's key that is kept as this one; nil when it is none of the user's.
    func own(_ stored: String?) -> String? {
        guard let stored, stored.utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: stored.utf8.dropFirst(overhead), as: UTF8.self)
    }

    private static let digestLength = 16

    /// What a write says, with the revision that it depends on.
    private static func digest(_ mutation: Mutation) -> String {
        var hash = Fingerprint()
        hash.add(String(mutation.fingerprint, radix: 16).utf8)
        switch mutation {
        case .update(_, _, let revision), .delete(_, let revision):
            hash.add((revision?.description ?? "").utf8)
        case .create, .upsert, .updateAll, .deleteAll: break
        }
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: digestLength - digits.count) + digits
    }
}
