import CCurl
import Foundation

/// What is done once for the whole process.
enum CurlLibrary {
    /// Initializes libcurl the first time it is read.
    static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
}

/// Keeps SIGPIPE from the process for writes of the current thread; a closed connection is then an error
/// code.
///
/// Both libraries are told to raise no signals, but OpenSSL writes to the socket without asking them.
func blockBrokenPipeSignal() {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGPIPE)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
}
