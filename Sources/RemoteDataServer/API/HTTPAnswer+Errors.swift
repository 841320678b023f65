import RemoteData

extension HTTPAnswer {
    /// The answer for whatever was thrown while answering.
    init(for error: any Error) {
        switch error {
        case let refusal as HTTPRefusal: self = refusal.answer
        case let error as RemoteDataError: self.init(of: error)
        default:
            self = HTTPRefusal(500, 1500, "The server failed; its log says more.").answer
            problem = "\(error)"
        }
    }

    /// The answer for a table's error.
    init(of error: RemoteDataError, row: Row? = nil) {
        let isOfKey = error.code == .invalidRequest && error.status == 422
        let (status, code) = isOfKey ? (422, 1422) : Self.codes[error.code] ?? (500, 1500)
        // The storage's message names files, and is of use to operators alone.
        let message = status == 500 ? Self.storageFailed : error.message
        let body = ErrorBody(code: code, message: message, position: error.position, row: row?.json)
        self.init(status, body: body.json)
        if status == 500 { problem = error.description }
        if status == 503 || status == 429 {
            let seconds = error.retryAfter.map { max(1, $0.components.seconds) } ?? 1
            fields.append(HTTPField(name: "Retry-After", value: String(seconds)))
        }
        if let revision = row?.revision { fields.append(.etag(revision)) }
    }

    fileprivate static let storageFailed = "The storage failed; the server's log says more."

    private static let codes: [RemoteDataError.Code: (Int, Int)] = [
        .invalidClause: (400, 1017),
        .unknownColumn: (400, 1017),
        .invalidRow: (400, 1018),
        .invalidRequest: (400, 1000),
        .notFound: (404, 1001),
        .alreadyExists: (409, 1155),
        .conflict: (412, 1412),
        .unauthorized: (401, 3064),
        .forbidden: (403, 1403),
        .gone: (410, 1410),
        .tooLarge: (413, 1413),
        .rateLimited: (429, 1429),
        .unavailable: (503, 1503),
        .unreachable: (503, 1503),
        .timedOut: (503, 1503),
        .cancelled: (503, 1503),
    ]
}

extension RemoteDataError {
    /// The code on the wire.
    var wireCode: Int { HTTPAnswer.wireCode(code) }

    /// The message on the wire.
    var wireMessage: String { wireCode == 1500 ? HTTPAnswer.storageFailed : message }
}

extension HTTPAnswer {
    fileprivate static func wireCode(_ code: RemoteDataError.Code) -> Int { codes[code]?.1 ?? 1500 }
}

extension HTTPField {
    /// The revision an answer speaks of, and the epoch that it belongs to.
    static func tableRevision(_ revision: Revision) -> [HTTPField] {
        let number = HTTPField(name: "Table-Revision", value: String(revision.rawValue))
        guard let epoch = revision.epoch else { return [number] }
        return [number, HTTPField(name: "Table-Epoch", value: epoch.description)]
    }

    /// A row's revision as its entity tag, with its epoch where it has one.
    static func etag(_ revision: Revision) -> HTTPField { HTTPField(name: "ETag", value: "\"\(revision)\"") }
}
