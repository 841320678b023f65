import RemoteData

/// What has to hold when a row is written or patched.
enum PatchCheck {
    /// Drafts a row, and merges a patch into it in the ways a table does.
    ///
    /// - Parameters:
    ///   - patch: Any bytes.
    ///   - row: A row that was read.
    ///   - idColumn: The column of its id.
    /// - Throws: A finding when something is lost, changed or no longer JSON.
    static func run(_ patch: ArraySlice<UInt8>, on row: Row, idColumn: String) throws(FuzzFinding) {
        try checkDraft(row, idColumn)
        let changes: [JSONObject.Member]
        do throws(RemoteDataError) {
            changes = try JSONObject.members(of: patch)
        } catch {
            let merged = try? JSONObject.merging(patch, into: row.json)
            try require(merged == nil, "what is no object is merged")
            try require((try? Draft(patch, idColumn: idColumn)) == nil, "what is no object is a draft")
            return
        }
        try checkNewRow(patch, idColumn)
        let merged = try require(
            try? JSONObject.merging(patch, into: row.json),
            "an object cannot be merged into a row"
        )
        try checkMerged(merged, changes, row)
        try checkPatch(patch, changes, row, idColumn)
    }

    /// A row is a draft of itself, unless its id is the empty text.
    private static func checkDraft(_ row: Row, _ idColumn: String) throws(FuzzFinding) {
        let draft = try? Draft(row.json, idColumn: idColumn)
        try require((draft == nil) == (row.id == ""), "a row is no draft")
        guard let draft else { return }
        try require(draft.id == row.id && draft.json == row.json, "a row's draft is another")
        try require(draft.row(id: row.id, idColumn: idColumn) == row, "a row's draft becomes another")
    }

    /// A draft becomes a row under the id that is chosen for it.
    private static func checkNewRow(_ json: ArraySlice<UInt8>, _ idColumn: String) throws(FuzzFinding) {
        guard let draft = try? Draft(json, idColumn: idColumn) else { return }
        let id = draft.id ?? "new \"id\"\n\u{E9}"
        let row = draft.row(id: id, idColumn: idColumn)
        let again = try require(try? Row.parse(row.json, idColumn: idColumn), "a draft becomes no row")
        try require(again == row && again.id == id, "a draft becomes another row")
        try require(FoundationJSON.isObject(row.json), "a draft becomes no JSON for Foundation")
    }

    /// Merging changes what the patch has, and leaves the rest.
    private static func checkMerged(
        _ merged: ArraySlice<UInt8>,
        _ changes: [JSONObject.Member],
        _ row: Row
    ) throws(FuzzFinding) {
        try require(FoundationJSON.isObject(merged), "a patched row is no JSON for Foundation")
        let members = try require(try? JSONObject.members(of: merged), "a patched row is no object")
        let before = try require(try? JSONObject.members(of: row.json), "a row is no object")
        for member in before + changes {
            let value = last(member.name, in: changes) ?? first(member.name, in: before)
            try require(first(member.name, in: members) == value, "a patched row has another value")
        }
        try require(members.count <= before.count + changes.count, "a patched row has too many members")
        try require(members.count >= before.count, "a patched row has lost a member")
    }

    /// A patch that a table takes keeps the row's id, and is refused exactly when it has another.
    private static func checkPatch(
        _ patch: ArraySlice<UInt8>,
        _ changes: [JSONObject.Member],
        _ row: Row,
        _ idColumn: String
    ) throws(FuzzFinding) {
        let ids = changes.filter { $0.name.utf8.elementsEqual(idColumn.utf8) }
        let isKept = ids.allSatisfy { Value(json: $0.json) == row.id.value }
        guard let taken = try? JSONObject.patch(patch, of: row.id, idColumn: idColumn) else {
            try require(!isKept, "a patch is refused")
            return
        }
        try require(isKept, "a patch changes the id")
        try require(taken.count == changes.count - ids.count, "a patch has lost members")
        let merged = try? JSONObject.merging(JSONObject.object(of: taken), into: row.json)
        let again = try? Row.parse(merged ?? [], idColumn: idColumn)
        try require(again?.id == row.id, "a patched row has another id")
    }

    private static func first(_ name: String, in members: [JSONObject.Member]) -> ArraySlice<UInt8>? {
        members.first { $0.name.utf8.elementsEqual(name.utf8) }?.json
    }

    private static func last(_ name: String, in members: [JSONObject.Member]) -> ArraySlice<UInt8>? {
        members.last { $0.name.utf8.elementsEqual(name.utf8) }?.json
    }
}
