import RemoteData

extension RemoteDataError.Code {
    /// What the status of an answer says by itself, when it is none of success.
    ///
    /// A 404 without a problem of the server may come of a proxy, and does not say that there is no row.
    init(status: Int) {
        self =
            switch status {
            case 400, 405, 406, 415, 422: .invalidRequest
            case 401, 407: .unauthorized
            case 403: .forbidden
            case 408: .timedOut
            case 409: .alreadyExists
            case 410: .gone
            case 412: .conflict
            case 413, 414, 431: .tooLarge
            case 429: .rateLimited
            // They are no answer to what was asked: proxies say many of them, and the sign-in page of a
            // network 511.
            case 402, 421, 423, 425, 500, 502..<600: .unavailable
            case 200..<400, 404: .invalidAnswer
            default: .rejected
            }
    }
}
