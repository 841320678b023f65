#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// How many files and connections the process may have open.
enum OpenFiles {
    /// Raises the limit to what the process may have: the usual one, 1,024, is less than the connections that
    /// a server takes.
    static func raiseLimit() {
        #if canImport(Darwin)
        let resource = RLIMIT_NOFILE
        #else
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, 10_240))
        _ = setrlimit(resource, &limit)
    }
}
