import Foundation
import RemoteData
import RemoteDataNetwork

/// What a collection is known by, to be told from another one of the same name.
enum KintoIdentity: Sendable, Equatable {
    /// When it was made, or its description changed.
    case stamp(Revision)
    /// The program may not see all rows, and so is not told when they are removed.
    case hidden
}

extension KintoClient {
    /// Looks at a collection; two requests.
    ///
    /// - Parameters:
    ///   - table: Its name.
    ///   - requests: What is sent to it.
    /// - Returns: What it is known by.
    /// - Throws: `RemoteDataError` when the server cannot be asked, or refuses.
    func identity(of table: String, _ requests: KintoRequests) async throws(RemoteDataError) -> KintoIdentity
    {
        let answer = try await send(requests.collection())
        // Whoever may not see the collection may see some of its rows; what is to be seen of those, the list tells.
        if answer.status == 403 || answer.status == 401 { return .hidden }
        let row = try KintoAnswer.row(try checked(answer, table), table)
        guard let revision = row.revision else {
            throw .unreadable(kinto: table, "no revision of the collection")
        }
        // The collection may be seen by whoever may add rows; all rows by those alone who are told that there is none such.
        let probe = try await send(requests.row(KintoID.made(of: UUID().uuidString)))
        if probe.status == 403 || probe.status == 401 { return .hidden }
        if probe.status != 404 || KintoProblem(probe)?.isMissingRow != true { _ = try checked(probe, table) }
        return .stamp(revision)
    }

    private func checked(_ answer: HTTPResponse, _ table: String) throws(RemoteDataError) -> HTTPResponse {
        guard answer.isSuccess else { throw .kinto(answer, "to follow \(table)", now: now()) }
        return answer
    }

    /// Sends a request for rows: for a quarter as many each time the answer is too large.
    func send(
        upTo size: Int,
        _ request: (_ size: Int) -> HTTPRequest
    ) async throws(RemoteDataError) -> HTTPResponse {
        var size = size
        while true {
            do throws(RemoteDataError) { return try await send(request(size)) } catch {
                guard error.code == .tooLarge, size > 1 else { throw error }
                size = max(1, size / 4)
            }
        }
    }
}
