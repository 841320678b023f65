import Foundation

/// The files and sockets that a process may open.
package enum OpenFiles {
    /// What to say where ``areExhausted`` is the reason of a failure.
    package static let message =
        "Too many files are open: the program, or the system, may open no more. Raise the limit (ulimit -n)."

    /// Whether no file or socket can be opened at this moment.
    ///
    /// Does not block. Libraries hide the reason when they can open none.
    package static var areExhausted: Bool {
        let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard descriptor < 0 else {
            close(descriptor)
            return false
        }
        return errno == EMFILE || errno == ENFILE
    }
}
