import RemoteData
import RemoteDataNetwork

/// A list of rows as Kinto answers: `{"data": [{"id": …, "last_modified": …, …}, …]}`.
struct KintoList: Sendable {
    /// Something of the list.
    struct Item: Sendable {
        /// The row, or the mark that it has left.
        let row: Row
        let isRemoved: Bool
    }

    /// Rows, and marks of removed ones, in the order of the answer; those only where times of changes were asked for.
    let items: [Item]
    /// Whether there are more: the server has pages smaller than what was asked for, or so many rows.
    let hasMore: Bool
    /// The table's revision when it was listed.
    let revision: Revision?

    /// The rows.
    let rows: [Row]

    /// The last row, or mark of one.
    var last: Row? { items.last?.row }

    /// - Throws: `RemoteDataError` with code `invalidAnswer`, or `invalidRow` for a row that cannot be read.
    init(_ answer: HTTPResponse, _ table: String) throws(RemoteDataError) {
        guard let data = KintoAnswer.data(answer.body[...]), data.first == UInt8(ascii: "[") else {
            throw .unreadable(kinto: table, "no list of rows")
        }
        let page = try Page.parse(Array(data), idColumn: "id")
        if let failure = page.failures.first { throw failure.error }
        items = page.rows.map { Item(row: $0.stamped, isRemoved: $0.isMark) }
        rows = items.filter { !$0.isRemoved }.map(\.row)
        hasMore = answer.headers["Next-Page"] != nil
        revision = answer.kintoRevision
    }
}

/// Parts of what Kinto answers.
enum KintoAnswer {
    /// The member `data` of an answer; nil where there is none.
    static func data(_ body: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        (try? JSONObject.members(of: body))?.first { $0.name == "data" }?.json
    }

    /// The row that an answer is about.
    static func row(_ answer: HTTPResponse, _ table: String) throws(RemoteDataError) -> Row {
        guard let data = data(answer.body[...]) else { throw .unreadable(kinto: table, "no row") }
        do throws(RemoteDataError) { return try Row.parse(data, idColumn: "id").stamped } catch {
            throw .unreadable(kinto: table, error.message)
        }
    }
}

extension HTTPResponse {
    /// The revision of the table or row that an answer tells: the time of the last change.
    var kintoRevision: Revision? { headers["ETag"].flatMap(Revision.init(etag:)) }
}

extension Row {
    /// The same with the time of its last change as its revision.
    var stamped: Row {
        guard case .integer(let time) = self["last_modified"] else { return self }
        return at(Revision(time))
    }

    /// Whether it says that the row was removed: it holds nothing but that.
    fileprivate var isMark: Bool {
        guard self["deleted"] == true, let members = try? JSONObject.members(of: json) else { return false }
        return members.allSatisfy { ["id", "last_modified", "deleted"].contains($0.name) }
    }
}

extension RemoteDataError {
    static func unreadable(kinto table: String, _ what: String) -> RemoteDataError {
        RemoteDataError(.invalidAnswer, "Kinto's answer about \(table) cannot be read: \(what).")
    }
}
