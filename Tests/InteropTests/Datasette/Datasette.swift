import Foundation
import RemoteData
import RemoteDataNetwork
import RemoteDataTesting

@testable import datasette_rows

/// A Datasette of its own for each test.
struct Datasette: Sendable {
    let process: ForeignServer
    private let token: String

    init() async throws {
        process = try await ForeignServer("datasette-with-data", saying: "Uvicorn running") { port, folder in
            [folder, "\(port)"]
        }
        let file = process.folder.appending(path: "token")
        token = try String(contentsOf: file, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Makes a table.
    func table(_ name: String) async throws -> WrittenTable {
        let columns = [
            ("id", "text"), ("name", "text"), ("age", "float"), ("number", "integer"), ("flag", "integer"),
            ("place", "text"), ("mark", "text"), ("gone", "integer"),
        ].map { #"{"name":"\#($0)","type":"\#($1)"}"# }
        let body = #"{"table":"\#(name)","pk":"id","columns":[\#(columns.joined(separator: ","))]}"#
        try await post("/data/-/create", body)
        return WrittenTable(read: DatasetteTable("\(process.url)/data/\(name)"), server: self)
    }

    fileprivate func post(_ path: String, _ body: String) async throws {
        let headers: HTTPHeaders = ["Content-Type": "application/json", "Authorization": "Bearer \(token)"]
        let request = HTTPRequest("POST", process.url + path, headers: headers, body: Array(body.utf8))
        let answer = try await CurlTransport().send(request)
        guard answer.isSuccess else {
            throw ForeignServer.Failed(reason: String(decoding: answer.body, as: UTF8.self))
        }
    }
}

/// The table, written past the sample, which only reads.
struct WrittenTable: ForwardingTable {
    let read: DatasetteTable
    let server: Datasette
    var wrapped: any Table { read }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        func text(_ json: ArraySlice<UInt8>) -> String { String(decoding: json, as: UTF8.self) }
        func rows(_ drafts: [Draft]) -> String {
            #"{"rows":[\#(drafts.map { text($0.json) }.joined(separator: ","))]}"#
        }
        func path(_ id: RowID) -> String { "/data/\(name)/\(read.tilde(id.description))" }
        do {
            switch mutation {
            case .create(let drafts):
                try await server.post("/data/\(name)/-/insert", rows(drafts))
                return Outcome(ids: drafts.compactMap { $0.id }, count: drafts.count)
            case .upsert(let drafts):
                // It keeps what it is not told of.
                for draft in drafts {
                    if let id = draft.id { try? await server.post("\(path(id))/-/delete", "{}") }
                }
                try await server.post("/data/\(name)/-/insert", rows(drafts))
            case .update(let id, let patch, _):
                try await server.post("\(path(id))/-/update", #"{"update":\#(text(patch))}"#)
            case .delete(let id, _): try await server.post("\(path(id))/-/delete", "{}")
            case .updateAll, .deleteAll: break
            }
            return Outcome(count: 1)
        } catch { throw RemoteDataError(.rejected, "\(error)") }
    }
}
