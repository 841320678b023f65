import CCurl
import Foundation

/// The limit: one libcurl handle, kept alive, that downloads pages and does nothing with them.
final class CurlLoop {
    private let handle: UnsafeMutableRawPointer
    /// Bytes received.
    private(set) var received = 0

    init() throws {
        guard let handle = curl_easy_init() else { throw UsageError(message: "libcurl gave no handle") }
        self.handle = handle
        // SAFETY: the handle, which keeps this pointer, is freed in deinit.
        let context = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_setopt_pointer(handle, CURLOPT_WRITEDATA, context)
        _ = ccurl_setopt_write(handle) { _, size, count, context in
            guard let context else { return 0 }
            Unmanaged<CurlLoop>.fromOpaque(context).takeUnretainedValue().received += size * count
            return size * count
        }
        _ = ccurl_setopt_long(handle, CURLOPT_NOSIGNAL, 1)
    }

    deinit { curl_easy_cleanup(handle) }

    func get(_ url: String) throws {
        _ = ccurl_setopt_string(handle, CURLOPT_URL, url)
        guard curl_easy_perform(handle) == CURLE_OK else {
            throw UsageError(message: "libcurl could not get \(url)")
        }
    }
}
