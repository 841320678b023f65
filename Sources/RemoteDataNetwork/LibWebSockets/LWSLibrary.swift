import CLibWebSockets
import Synchronization

/// What concerns libwebsockets as a whole.
enum LWSLibrary {
    private static let creation = Mutex(())

    /// Creates a context.
    ///
    /// One at a time: the library sets up process-wide tables meanwhile. Its log is switched off, which concerns the whole
    /// process too.
    static func create(_ info: inout lws_context_creation_info) -> OpaquePointer? {
        let address = creation.withLock { _ in
            lws_set_log_level(0, nil)
            return UInt(bitPattern: lws_create_context(&info))
        }
        return OpaquePointer(bitPattern: address)
    }
}
