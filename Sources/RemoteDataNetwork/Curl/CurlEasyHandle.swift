import CCurl
import Foundation
import RemoteDataExecution

/// One reusable transfer slot of libcurl; freed when it goes away.
///
/// Belongs to the loop's thread.
final class CurlEasyHandle {
    let raw: UnsafeMutableRawPointer
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private let errorText: UnsafeMutablePointer<CChar>

    init?() {
        guard let raw = curl_easy_init() else { return nil }
        self.raw = raw
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        curl_easy_cleanup(raw)
        curl_slist_free_all(headerList)
        errorText.deallocate()
    }

    /// libcurl's words about the last failure.
    func detail(_ code: CURLcode) -> String {
        errorText.pointee == 0 ? String(cString: curl_easy_strerror(code)) : String(cString: errorText)
    }

    /// Sets every option for a transfer, in place of whatever was set before.
    ///
    /// SAFETY: the transfer is handed to libcurl unretained. The loop holds it for as long as this handle
    /// is part of the multi handle, and callbacks come only from there.
    func configure(_ transfer: CurlTransfer, _ options: CurlTransport.Options) throws(NetworkError) {
        curl_easy_reset(raw)
        errorText.pointee = 0
        let request = transfer.request
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        try set(CURLOPT_ERRORBUFFER, pointer: errorText)
        try set(CURLOPT_PRIVATE, pointer: context)
        try set(CURLOPT_WRITEDATA, pointer: context)
        try set(CURLOPT_HEADERDATA, pointer: context)
        try check(ccurl_setopt_write(raw, takeBody))
        try check(ccurl_setopt_header(raw, takeHeader))
        try set(CURLOPT_URL, request.url)
        try setConnection(transfer, options)
        try setMethod(transfer, context)
        try setHeaders(request)
    }

    private func setConnection(_ transfer: CurlTransfer, _ options: CurlTransport.Options)
        throws(NetworkError)
    {
        try set(CURLOPT_NOSIGNAL, 1)
        try check(ccurl_setopt_socket(raw, openSocket))
        // A segment of dots is a name like any other, such as a row's id.
        try set(CURLOPT_PATH_AS_IS, 1)
        // Lets go of a name look-up that hangs instead of waiting for it (curl issue 8515).
        try set(CURLOPT_QUICK_EXIT, 1)
        try set(CURLOPT_PROTOCOLS_STR, "http,https")
        try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
        try set(CURLOPT_PIPEWAIT, transfer.origin.isSecure ? 1 : 0)
        try set(CURLOPT_TCP_NODELAY, 1)
        try set(CURLOPT_TCP_KEEPALIVE, 1)
        try set(CURLOPT_BUFFERSIZE, 64 << 10)
        try set(CURLOPT_ACCEPT_ENCODING, "")
        try set(CURLOPT_USERAGENT, options.userAgent)
        // A proxy's answer to CONNECT is not the server's.
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try set(CURLOPT_CONNECTTIMEOUT_MS, max(1, transfer.request.timeouts.connect.milliseconds))
        if transfer.stream == nil {
            let limit = curl_off_t(transfer.request.bodyLimit)
            try check(ccurl_setopt_offset(raw, CURLOPT_MAXFILESIZE_LARGE, max(1, limit)))
        }
        if let file = options.extraCAFile { try set(CURLOPT_CAINFO, file) }
        if transfer.origin.isLoopback, !options.proxiesLoopback { try set(CURLOPT_NOPROXY, "*") }
    }

    /// libcurl sends a request again by itself when a kept-alive connection turns out to be closed,
    /// whatever the method.
    ///
    /// A write that must not be made twice is kept from that: its body is given piece by piece and cannot
    /// be given again (libcurl then fails with `CURLE_SEND_FAIL_REWIND`), and without a body it goes over a
    /// new connection.
    private func setMethod(_ transfer: CurlTransfer, _ context: UnsafeMutableRawPointer) throws(NetworkError)
    {
        let request = transfer.request
        if request.method == "HEAD" {
            try set(CURLOPT_NOBODY, 1)
        } else if let body = request.body {
            try set(CURLOPT_POST, 1)
            try check(ccurl_setopt_offset(raw, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
            if request.isRepeatable || body.isEmpty {
                let code = body.withUnsafeBytes {
                    ccurl_setopt_pointer(
                        raw,
                        CURLOPT_COPYPOSTFIELDS,
                        $0.baseAddress ?? UnsafeRawPointer(errorText)
                    )
                }
                try check(code)
            } else {
                try set(CURLOPT_READDATA, pointer: context)
                try check(ccurl_setopt_read(raw, giveBody))
            }
        } else if request.method != "GET" {
            try set(CURLOPT_HTTPGET, 1)
        }
        if request.method != "GET" || request.body != nil { try set(CURLOPT_CUSTOMREQUEST, request.method) }
        if !request.isRepeatable, request.body?.isEmpty ?? true { try set(CURLOPT_FRESH_CONNECT, 1) }
    }

    private func setHeaders(_ request: HTTPRequest) throws(NetworkError) {
        curl_slist_free_all(headerList)
        headerList = nil
        for field in request.headers.fields {
            // "Name:" would remove the header; "Name;" sends it empty.
            try append(field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
        }
        if request.body != nil {
            // Without these two, libcurl waits for "100 Continue" and claims that the body is a form.
            try append("Expect:")
            if request.headers["Content-Type"] == nil { try append("Content-Type:") }
        }
        try set(CURLOPT_HTTPHEADER, pointer: headerList)
    }

    private func append(_ line: String) throws(NetworkError) {
        guard let list = curl_slist_append(headerList, line) else {
            throw NetworkError(.unavailable, "libcurl is out of memory.")
        }
        headerList = list
    }

    private func set(_ option: CURLoption, _ value: Int) throws(NetworkError) {
        try check(ccurl_setopt_long(raw, option, value))
    }

    private func set(_ option: CURLoption, _ value: String) throws(NetworkError) {
        try check(ccurl_setopt_string(raw, option, value))
    }

    private func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) throws(NetworkError) {
        try check(ccurl_setopt_pointer(raw, option, pointer))
    }

    private func check(_ code: CURLcode) throws(NetworkError) {
        guard code != CURLE_OK else { return }
        throw NetworkError(
            .unavailable,
            "This libcurl cannot do what is needed; version 7.87 or newer can.",
            cause: CurlError(code: code.rawValue, detail: String(cString: curl_easy_strerror(code)))
        )
    }

    // MARK: What the answer says

    var status: Int { ccurl_getinfo_long(raw, CURLINFO_RESPONSE_CODE) }

    var url: String { text(CURLINFO_EFFECTIVE_URL) ?? "" }

    /// The absolute URL of a redirect.
    var location: String? { text(CURLINFO_REDIRECT_URL) }

    /// How many bytes have gone in either direction.
    var bytesMoved: Int64 {
        Int64(ccurl_getinfo_offset(raw, CURLINFO_SIZE_UPLOAD_T))
            + Int64(ccurl_getinfo_offset(raw, CURLINFO_SIZE_DOWNLOAD_T))
            + Int64(ccurl_getinfo_long(raw, CURLINFO_HEADER_SIZE))
            + Int64(ccurl_getinfo_long(raw, CURLINFO_REQUEST_SIZE))
    }

    /// Whether the connection is made, so that bytes could move.
    var isConnected: Bool { ccurl_getinfo_offset(raw, CURLINFO_PRETRANSFER_TIME_T) > 0 }

    private func text(_ info: CURLINFO) -> String? {
        ccurl_getinfo_string(raw, info).map { String(cString: $0) }
    }
}

// MARK: libcurl's callbacks; all come on the loop's thread.

// SAFETY of the three: `context` is the transfer of `configure`, which the loop holds meanwhile; the bytes
// are valid for the call and not kept.

private func takeHeader(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.takeHeader(UnsafeRawBufferPointer(start: bytes, count: size * count)) ? size * count : 0
}

private func takeBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    switch transfer.takeBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) {
    case .taken: return size * count
    case .wait: return Int(CURL_WRITEFUNC_PAUSE)
    case .stop: return 0
    }
}

private func giveBody(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let bytes, let context else { return 0 }
    let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
    return transfer.giveBody(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}

/// Opens a socket that programs which are started do not get.
private func openSocket(
    _ context: UnsafeMutableRawPointer?,
    _ purpose: curlsocktype,
    _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let address = address?.pointee else { return -1 }
    #if os(Linux)
    // At once: another thread may start a program in between.
    let type = address.socktype | Int32(SOCK_CLOEXEC.rawValue)
    return socket(address.family, type, address.protocol)
    #else
    let made = socket(address.family, address.socktype, address.protocol)
    if made >= 0 { _ = fcntl(made, F_SETFD, FD_CLOEXEC) }
    return made
    #endif
}
