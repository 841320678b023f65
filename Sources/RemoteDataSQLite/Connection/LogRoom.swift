import Foundation

#if SQLCipher
import CSQLCipher
#else
import CSQLite
#endif

/// Room in the write-ahead log behind what is in it, so that a commit seldom makes the file longer.
///
/// A file whose length stays is on the disk with its contents alone, while a longer one takes an entry in the journal of the file
/// system as well: on ext4 a small commit takes half the time. The room is zeros, which SQLite takes for no frames when it
/// reads the log: a frame has the salt of the log in its header (sqlite.org/walformat.html).
final class LogRoom {
    /// Below this much, the log is made longer.
    private static let least: Int64 = 64 * 1_024
    private static let zeros = [UInt8](repeating: 0, count: 64 * 1_024)
    private static let headerSize: Int64 = 32
    private static let frameHeaderSize: Int64 = 24

    private let pageSize: Int64
    /// How many frames have it copied to the file.
    private let checkpointAt: Int32
    /// Where the frames end.
    private var end: Int64 = 0
    /// How long the file was when that was last looked at, or made so.
    private var length: Int64 = 0

    /// Takes the place of SQLite's own checkpoints on a connection, for which it has to be there as long as that is open.
    init(_ handle: OpaquePointer, pageSize: Int64, checkpointAt: Int32) {
        (self.pageSize, self.checkpointAt) = (pageSize, checkpointAt)
        // SAFETY: not retained: the connection that owns this closes the handle, and is called by it no more then.
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            handle,
            { context, handle, name, frames in
                guard let context, let handle else { return SQLITE_OK }
                let room = Unmanaged<LogRoom>.fromOpaque(context).takeUnretainedValue()
                room.note(frames)
                // As SQLite's own hook does: what readers still need stays, and what fails is tried again.
                if frames >= room.checkpointAt {
                    sqlite3_wal_checkpoint_v2(handle, name, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
                }
                return SQLITE_OK
            },
            context
        )
    }

    private func note(_ frames: Int32) {
        end = Self.headerSize + Int64(frames) * (pageSize + Self.frameHeaderSize)
    }

    /// Makes room if there is little; to be called while a transaction that writes is open, so that nobody else writes.
    ///
    /// When the disk is full there is none, and commits are as slow as they are without.
    func make(_ handle: OpaquePointer) {
        guard length - end < Self.least, let file = Self.file(of: handle), let methods = file.pointee.pMethods
        else { return }
        var found: Int64 = 0
        guard methods.pointee.xFileSize(file, &found) == SQLITE_OK else { return }
        length = found
        // Somebody else may have cut it off.
        end = min(end, found)
        // As long again, up to a megabyte, so that small stores stay small.
        let wanted = max(found, end) + min(max(Self.least, end), 1_024 * 1_024)
        guard found - end < Self.least else { return }
        while length < wanted {
            let code = Self.zeros.withUnsafeBytes { zeros in
                methods.pointee.xWrite(file, zeros.baseAddress, Int32(zeros.count), length)
            }
            guard code == SQLITE_OK else { return }
            length += Int64(Self.zeros.count)
        }
    }

    /// The open log; nil when there is none.
    private static func file(of handle: OpaquePointer) -> UnsafeMutablePointer<sqlite3_file>? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = withUnsafeMutablePointer(to: &file) {
            sqlite3_file_control(handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, $0)
        }
        return code == SQLITE_OK ? file : nil
    }
}
