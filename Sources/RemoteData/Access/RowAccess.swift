/// The rights of one user to the rows of a table, as clauses.
package struct RowAccess: Sendable {
    /// Which rows may be read.
    package let readable: Where
    /// Which of those that may be read may be written.
    package let writable: Where
    /// Which may not be written; never unknown.
    package let unwritable: Where
    /// Whether it is not known who asks.
    package let isNobody: Bool
    /// The column that holds a row's id.
    package let idColumn: String
    /// The JSON of the ACL that new rows get which come without one.
    let newACL: ArraySlice<UInt8>?
    let keys: UserKeys
    private let readMatcher: Where.Matcher
    private let writeMatcher: Where.Matcher
    /// The rows that a removal by clause was asked to remove, may they be written or not.
    var asked: Asked?

    /// A removal by clause as it was asked for.
    struct Asked: Sendable {
        let filter: Where?
    }

    /// Works out the rights.
    package init(_ user: AccessUser, newRows: DefaultACL, idColumn: String) {
        readable = Self.clause(user, "read")
        writable = Self.clause(user, "write")
        unwritable = .not(Self.clause(user, "write", isDefinite: true))
        isNobody = user.id == nil
        self.idColumn = idColumn
        newACL = newRows.acl(for: user).map { $0.json[...] }
        keys = UserKeys(user)
        readMatcher = Where.Matcher(readable)
        writeMatcher = Where.Matcher(writable)
    }

    /// Whether a row may be read.
    ///
    /// - Complexity: O(bytes of the row).
    package func mayRead(_ row: Row) -> Bool { readMatcher.matches(row) }

    /// Whether a row may be read and written.
    ///
    /// - Complexity: O(bytes of the row).
    package func mayWrite(_ row: Row) -> Bool { mayRead(row) && writeMatcher.matches(row) }

    /// The rows of a clause that may be read.
    package func narrowed(_ filter: Where?) -> Where { filter.map { .and([$0, readable]) } ?? readable }

    /// A query with only the rows that may be read.
    package func narrowed(_ query: Query) -> Query { Query(narrowed(query.filter), sort: query.sort) }

    /// A request with only the rows that may be read.
    package func narrowed(_ request: PageRequest) -> PageRequest {
        PageRequest(narrowed(request.query), start: request.start, limit: request.limit)
    }

    /// The rows whose ACL grants a right: those without one, and those in which it is true for any of the user's names.
    private static func clause(_ user: AccessUser, _ right: String, isDefinite: Bool = false) -> Where {
        let grants = user.parties.map { party in
            let column = Where.Operand.column(ColumnPath(names: [ACL.column, party.name, right]))
            let isGranted = Where.comparison(column, .equal, .literal(true))
            return isDefinite ? Where.and([.not(.isNull(column)), isGranted]) : isGranted
        }
        return .or([.isNull(.column(ColumnPath(ACL.column)))] + grants)
    }
}
