import RemoteData

/// What has to hold for any bytes taken for the JSON of a row.
public enum RowCheck {
    /// Which columns are tried as the id's: plain, and one whose name has another spelling with the same look.
    private static let idColumns = ["objectId", "\u{E9}"]

    /// How many objects and arrays may lie in each other.
    static let depthLimit = 128

    /// What separates the row from a patch of it; JSON has no use for this byte.
    private static let separator: UInt8 = 0x1E

    /// Reads bytes as a row and, behind the byte 1E, as a patch of it; takes apart and puts together what was read.
    ///
    /// - Throws: A finding when Foundation sees it otherwise, or when a part is not found again.
    public static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
        let parts = bytes.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
        let (json, patch) = (parts[0], parts.count > 1 ? parts[1] : nil)
        try checkObject(json)
        if let patch { try checkObject(patch) }
        for idColumn in idColumns {
            if patch != nil {
                let whole = try? Row.parse(bytes[...], idColumn: idColumn)
                try require(whole == nil, "a control character is read")
            }
            let row: Row
            do throws(RemoteDataError) {
                row = try Row.parse(json, idColumn: idColumn)
            } catch {
                try require(error.code == .invalidRow, "refused with another code: \(error)")
                continue
            }
            try checkRow(row, of: json, idColumn: idColumn)
            try DecodingCheck.run(row, idColumn: idColumn)
            try PatchCheck.run(patch ?? json, on: row, idColumn: idColumn)
        }
        if let patch, let other = try? Row.parse(patch, idColumn: idColumns[0]) {
            try PatchCheck.run(json, on: other, idColumn: idColumns[0])
        }
    }

    /// Whether bytes are an object is the same for the scanner and Foundation.
    private static func checkObject(_ json: ArraySlice<UInt8>) throws(FuzzFinding) {
        let seen = FoundationJSON(json)
        let members: [JSONObject.Member]
        do throws(RemoteDataError) {
            members = try JSONObject.members(of: json)
        } catch {
            try require(error.code == .invalidRow, "refused with another code: \(error)")
            try require(seen.object == nil || seen.depth > depthLimit, "JSON is refused: \(error)")
            return
        }
        try require(seen.object != nil, "accepted, and no JSON for Foundation")
        try require(seen.depth <= depthLimit, "nested too deep")
        try checkValues(members, seen)
        try checkJoining(members)
    }

    /// The values are what Foundation reads, where names are not repeated.
    private static func checkValues(
        _ members: [JSONObject.Member],
        _ seen: FoundationJSON
    ) throws(FuzzFinding) {
        guard members.count == seen.object?.count else { return }
        for member in members {
            let other = try require(seen[member.name], "Foundation has no member of a name")
            let value = try require(Value(json: member.json), "a member's value is none")
            try require(FoundationJSON.isSame(value, other), "\(value) is \(other) for Foundation")
            let again = try require(Value(json: value.json[...]), "a printed value cannot be read: \(value)")
            try require(again == value, "\(value) is printed and read as \(again)")
        }
    }

    /// Members that are joined and taken apart again are the same.
    private static func checkJoining(_ members: [JSONObject.Member]) throws(FuzzFinding) {
        let joined = JSONObject.object(of: members)
        try require(FoundationJSON.isObject(joined), "joined members are no JSON for Foundation")
        let again = try require(try? JSONObject.members(of: joined), "joined members are no object")
        try require(
            again.count == members.count
                && zip(again, members).allSatisfy {
                    $0.name.utf8.elementsEqual($1.name.utf8) && $0.json == $1.json
                },
            "joined members are others"
        )
    }

    /// A row has its id, is the same when read again, alone or in a page, and its columns are found.
    private static func checkRow(
        _ row: Row,
        of json: ArraySlice<UInt8>,
        idColumn: String
    ) throws(FuzzFinding) {
        try require(FoundationJSON.isObject(json), "a row is no JSON for Foundation")
        try require(row[ColumnPath(idColumn)] == row.id.value, "the id is not found again")
        try require((try? Row.parse(row.json, idColumn: idColumn)) == row, "a row is another when read again")
        let page = try? Page.parse(Array("[ ".utf8) + json + Array(",1]".utf8), idColumn: idColumn)
        // In a page it lies one deeper.
        try require(page?.rows == [row] || FoundationJSON(json).depth == depthLimit, "another row in a page")
        let members = try require(try? JSONObject.members(of: row.json), "a row without members")
        let joined = try? Row.parse(JSONObject.object(of: members), idColumn: idColumn)
        try require(joined?.id == row.id, "joined members have another id")
        var columns = ColumnSet()
        columns.insert(columnsOf: row)
        for member in members {
            let column = ColumnPath(member.name)
            try require(columns.contains(column) || columns.isFull, "a column is not seen")
            let value = row[column]
            let isNull = Where.isNull(.column(column)).matches(row)
            try require(isNull == (value == .null), "a clause sees another value")
            guard !isNull, !value.isContainer else { continue }
            let isFound = Where.comparison(.column(column), .equal, .literal(value)).matches(row)
            try require(isFound, "a clause does not find \(value)")
        }
    }
}

extension Value {
    fileprivate var isContainer: Bool { if case .json = self { true } else { false } }
}
