import CCurl
import RemoteDataExecution

extension NetworkError {
    /// What a result code of libcurl means.
    ///
    /// - Parameters:
    ///   - code: The code, not `CURLE_OK`.
    ///   - detail: libcurl's own words about this transfer.
    ///   - origin: The server.
    init(curl code: CURLcode, detail: String, origin: String) {
        let cause = CurlError(code: code.rawValue, detail: detail)
        // A name cannot be resolved without a socket either.
        if code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST, OpenFiles.areExhausted {
            self.init(.unavailable, OpenFiles.message, cause: cause)
            return
        }
        let kind: Code
        let message: String
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            kind = .unreachable
            message = "The name of \(origin) cannot be resolved. Check the URL and the network."
        case CURLE_COULDNT_CONNECT:
            kind = .unreachable
            message = "Nobody answers at \(origin). Check that the server runs."
        case CURLE_OPERATION_TIMEDOUT:
            kind = .timedOut
            message = "\(origin) did not answer in time."
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_USE_SSL_FAILED:
            kind = .tls
            message = "The certificate of \(origin) is not trusted."
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_ENGINE_INITFAILED:
            kind = .tls
            message = "No TLS connection with \(origin) came about."
        case CURLE_FILESIZE_EXCEEDED:
            kind = .tooLarge
            message = "The answer of \(origin) is larger than the limit."
        case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR,
            CURLE_SEND_FAIL_REWIND,
            CURLE_HTTP2, CURLE_HTTP2_STREAM:
            kind = .closed
            message = "\(origin) closed the connection before its answer was complete."
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            kind = .badAnswer
            message = "What answers at \(origin) does not speak HTTP."
        case CURLE_URL_MALFORMAT:
            kind = .invalidRequest
            message = "The URL cannot be read."
        case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
            kind = .unavailable
            message = "libcurl is out of memory."
        default:
            kind = .protocolError
            message = "The request to \(origin) failed."
        }
        self.init(kind, message, cause: cause)
    }
}

/// A result code of libcurl.
package struct CurlError: Error, Hashable, CustomStringConvertible {
    /// The number of the `CURLcode`.
    package let code: UInt32
    /// libcurl's own words.
    package let detail: String

    /// The words and the number.
    package var description: String { "curl \(code): \(detail)" }
}
