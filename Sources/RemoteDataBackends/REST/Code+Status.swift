import RemoteData

extension RemoteDataError.Code {
    /// What the status of an answer says by itself, when it is none of success.
    init(status: Int) {
        self =
            switch status {
            case 400, 405, 406, 415, 422: .invalidRequest
            case 401, 407: .unauthorized
            case 403: .forbidden
            case 404: .notFound
            case 408: .timedOut
            case 409: .alreadyExists
            case 410: .gone
            case 412: .conflict
            case 413, 414, 431: .tooLarge
            case 429: .rateLimited
            // Those from 520 on are said by proxies.
            case 425, 500, 502..<505, 520..<530: .unavailable
            case 200..<400: .invalidAnswer
            default: .rejected
            }
    }
}
