import RemoteData
import RemoteDataTesting
import Testing

/// A table with one private row of Ann's, one that all may read, and one that Bob may read.
struct Shelf {
    let base: any Table
    let ann: AccessTable
    let bob: AccessTable
    let nobody: AccessTable

    init(_ base: any Table = MemoryTable("t"), newRows: DefaultACL = .none) async throws {
        self.base = base
        ann = AccessTable(base, user: try AccessUser("ann"), newRows: newRows)
        bob = AccessTable(base, user: try AccessUser("bob", roles: ["editors"]), newRows: newRows)
        nobody = AccessTable(base, user: .nobody, newRows: newRows)
        try await put("secret", #"{"ann":{"read":true,"write":true}}"#)
        try await put("seen", #"{"*":{"read":true},"ann":{"write":true}}"#)
        try await put("shared", #"{"ann":{"read":true,"write":true},"bob":{"read":true}}"#)
    }

    /// A table that knows nothing of rights, with the same rows.
    static func plain() async throws -> Shelf {
        try await Shelf(LimitedTable(MemoryTable("t"), to: .full))
    }

    @discardableResult
    func put(_ id: String, _ acl: String?, _ more: String = #""n":1"#) async throws -> Outcome {
        let acl = acl.map { #","ACL":\#($0)"# } ?? ""
        return try await base.commit(.upsert([Self.draft(#"{"objectId":"\#(id)",\#(more)\#(acl)}"#)]))
    }

    static func draft(_ json: String) throws -> Draft {
        try Draft(Array(json.utf8)[...], idColumn: "objectId")
    }

    static func patch(_ json: String) -> ArraySlice<UInt8> { Array(json.utf8)[...] }

    static func ids(_ table: any Table, _ filter: Where? = nil) async throws -> [RowID] {
        try await table.page(PageRequest(Query(filter))).rows.map(\.id)
    }
}

/// The error of a call that has to fail.
func refusal<T>(_ body: () async throws(RemoteDataError) -> T) async -> RemoteDataError? {
    do throws(RemoteDataError) {
        _ = try await body()
        return nil
    } catch { return error }
}
