import CCurl
import Foundation

/// The limit with several requests under way: a bare curl_multi loop that downloads pages and does nothing with them.
final class CurlMultiLoop {
    private let multi: UnsafeMutableRawPointer
    private var idle: [UnsafeMutableRawPointer] = []
    private let all: [UnsafeMutableRawPointer]

    /// - Parameter count: How many requests are under way at a time.
    /// - Throws: When libcurl has no memory.
    init(_ count: Int) throws {
        let handles = (0..<count).compactMap { _ in curl_easy_init() }
        guard let multi = curl_multi_init(), handles.count == count else {
            throw UsageError(message: "libcurl gave no handle")
        }
        (self.multi, idle, all) = (multi, handles, handles)
        for handle in handles {
            _ = ccurl_setopt_long(handle, CURLOPT_NOSIGNAL, 1)
            _ = ccurl_setopt_long(handle, CURLOPT_FAILONERROR, 1)
            _ = ccurl_setopt_write(handle) { _, size, count, _ in size * count }
        }
    }

    deinit {
        for handle in all { curl_easy_cleanup(handle) }
        curl_multi_cleanup(multi)
    }

    func get(_ urls: [String]) throws { try send(urls.map { ($0, nil) }) }

    /// Sends requests, as many at a time as there are handles: `POST` for those with a body.
    func send(_ requests: [(url: String, body: String?)]) throws {
        var waiting = requests[...]
        var left = requests.count
        while left > 0 {
            while let (url, body) = waiting.first, let handle = idle.popLast() {
                _ = ccurl_setopt_string(handle, CURLOPT_URL, url)
                if let body { _ = ccurl_setopt_string(handle, CURLOPT_COPYPOSTFIELDS, body) }
                curl_multi_add_handle(multi, handle)
                waiting = waiting.dropFirst()
            }
            var running: Int32 = 0
            curl_multi_perform(multi, &running)
            var queued: Int32 = 0
            var isDone = false
            while let message = curl_multi_info_read(multi, &queued) {
                guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else {
                    continue
                }
                guard message.pointee.data.result == CURLE_OK else {
                    throw UsageError(message: "libcurl got no answer")
                }
                curl_multi_remove_handle(multi, handle)
                idle.append(handle)
                (left, isDone) = (left - 1, true)
            }
            if !isDone { curl_multi_poll(multi, nil, 0, 1_000, nil) }
        }
    }
}
