import Foundation
import RemoteData

/// What rows a table has and who may do what with them, worked out by other means than the library's.
struct AccessOracle {
    /// A row: the column `n`, the column `tag` that nobody else has, and the JSON of the ACL.
    struct Entry {
        var n: Int
        var tag: String
        var acl: String?
        var revision: Revision?
    }

    var rows: [RowID: Entry] = [:]

    /// Whether an ACL lets a user do something.
    static func allows(_ user: AccessUser, _ right: String, _ acl: String?) -> Bool {
        guard let acl, acl != "null" else { return true }
        let json = try? JSONSerialization.jsonObject(with: Data(acl.utf8), options: .fragmentsAllowed)
        guard let entries = json as? [String: Any] else { return false }
        let names = ["*"] + [user.id].compactMap(\.self) + user.roles.map { "role:" + $0 }
        return names.contains { name in (entries[name] as? [String: Any])?[right] as? Bool == true }
    }

    func mayRead(_ user: AccessUser, _ id: RowID) -> Bool {
        rows[id].map { Self.allows(user, "read", $0.acl) } ?? false
    }

    func mayWrite(_ user: AccessUser, _ id: RowID) -> Bool {
        mayRead(user, id) && rows[id].map { Self.allows(user, "write", $0.acl) } ?? false
    }

    /// The ids of the rows that a user sees of those with at least so large an `n`.
    func visible(to user: AccessUser?, from least: Int?) -> Set<RowID> {
        Set(
            rows.filter { id, row in
                row.n >= least ?? .min && user.map { mayRead($0, id) } ?? true
            }
            .keys
        )
    }

    /// The ids of the rows that a write by clause of a user concerns; nil for somebody with all rights.
    func writable(by user: AccessUser?, from least: Int?) -> Set<RowID> {
        visible(to: user, from: least).filter { id in user.map { mayWrite($0, id) } ?? true }
    }
}
