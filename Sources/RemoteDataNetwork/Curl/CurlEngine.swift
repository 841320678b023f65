import RemoteDataExecution
import CCurl

/// Drives libcurl's multi handle; lives on the loop's thread.
final class CurlEngine {
    private let multi: UnsafeMutableRawPointer
    private let options: CurlTransport.Options
    private var queue: TransferQueue<CurlTransfer>
    private var running: [UnsafeMutableRawPointer: (handle: CurlEasyHandle, transfer: CurlTransfer)] = [:]
    private var spare: [CurlEasyHandle] = []
    private var nextCheck: ContinuousClock.Instant?

    private static let spareLimit = 32
    /// How long to sleep when nothing is to be done; libcurl wakes up earlier for its own timers.
    private static let idle: Duration = .seconds(600)

    init(_ multi: UnsafeMutableRawPointer, _ options: CurlTransport.Options) {
        self.multi = multi
        self.options = options
        queue = TransferQueue(perLane: options.requestsPerServer, total: options.requests)
    }

    func add(_ transfers: [CurlTransfer]) {
        for transfer in transfers {
            queue.add(transfer, lane: transfer.lane)
            if let deadline = transfer.deadline { check(at: deadline) }
        }
    }

    func drop(_ transfers: [CurlTransfer]) {
        guard !transfers.isEmpty else { return }
        let gone = Set(transfers.map(ObjectIdentifier.init))
        _ = queue.remove { gone.contains(ObjectIdentifier($0)) }
        for (raw, entry) in running where gone.contains(ObjectIdentifier(entry.transfer)) { release(raw) }
    }

    /// Goes on reading bodies that somebody has begun to receive again.
    func resume(_ transfers: [CurlTransfer]) {
        guard !transfers.isEmpty else { return }
        let resumed = Set(transfers.map(ObjectIdentifier.init))
        for (raw, entry) in running where resumed.contains(ObjectIdentifier(entry.transfer)) {
            curl_easy_pause(raw, CURLPAUSE_CONT)
        }
    }

    /// Ends everything.
    func stop() {
        for transfer in queue.waiting { transfer.finish(.failure(.stopped)) }
        for (raw, entry) in running {
            entry.transfer.finish(.failure(.stopped))
            release(raw)
        }
    }

    /// Does what can be done now, then sleeps until there is more.
    func turn() {
        startWaiting()
        var count: Int32 = 0
        curl_multi_perform(multi, &count)
        takeFinished()
        startWaiting()
        let now = ContinuousClock.now
        if let check = nextCheck, now >= check { checkTimes(now) }
        let sleep = nextCheck.map { min(now.duration(to: $0), Self.idle) } ?? Self.idle
        curl_multi_poll(multi, nil, 0, Int32(clamping: max(0, sleep.milliseconds)), nil)
    }

    // MARK: Beginning and ending

    private func startWaiting() {
        while let transfer = queue.next() {
            // Its caller may have gone even before it was submitted.
            guard !transfer.handoff.isFinished else {
                queue.finished(lane: transfer.lane)
                continue
            }
            guard let handle = spare.popLast() ?? CurlEasyHandle() else {
                queue.finished(lane: transfer.lane)
                transfer.finish(.failure(NetworkError(.unavailable, "libcurl is out of memory.")))
                continue
            }
            start(transfer, handle)
        }
    }

    private func start(_ transfer: CurlTransfer, _ handle: CurlEasyHandle) {
        do {
            try handle.configure(transfer, options)
        } catch {
            queue.finished(lane: transfer.lane)
            transfer.finish(.failure(error))
            return
        }
        transfer.stall = StallWatch(limit: transfer.request.timeouts.stall, now: .now)
        running[handle.raw] = (handle, transfer)
        curl_multi_add_handle(multi, handle.raw)
        check(at: transfer.stall.firstLook)
    }

    private func takeFinished() {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let raw = message.pointee.easy_handle,
                let entry = running[raw]
            else { continue }
            finish(entry.transfer, entry.handle, message.pointee.data.result)
        }
    }

    private func finish(_ transfer: CurlTransfer, _ handle: CurlEasyHandle, _ code: CURLcode) {
        let answer = answer(transfer, handle, code)
        let (url, location) = answer == nil ? (handle.url, handle.location) : ("", nil)
        let status = handle.status
        let result = answer ?? transfer.answered(status: status, url: url, location: location)
        guard let result else {
            curl_multi_remove_handle(multi, handle.raw)
            running[handle.raw] = nil
            return start(transfer, handle)
        }
        release(handle.raw, isReusable: code == CURLE_OK)
        transfer.finish(result)
    }

    /// The failure of a transfer, or nil when it was answered.
    private func answer(
        _ transfer: CurlTransfer,
        _ handle: CurlEasyHandle,
        _ code: CURLcode
    ) -> Result<HTTPResponse, NetworkError>? {
        if let refusal = transfer.refusal { return .failure(refusal) }
        if code == CURLE_FILESIZE_EXCEEDED {
            transfer.refuseBody()
            return transfer.refusal.map { .failure($0) }
        }
        guard code == CURLE_OK, handle.status != 0 else {
            // libcurl has been seen to succeed without an answer (curl issue 2801).
            let code = code == CURLE_OK ? CURLE_GOT_NOTHING : code
            return .failure(
                NetworkError(curl: code, detail: handle.detail(code), origin: transfer.origin.origin)
            )
        }
        return nil
    }

    /// Takes a transfer out of libcurl; its place goes to the next one.
    ///
    /// A handle that has failed may not be used again: after a name that was not resolved, libcurl 7.88 takes
    /// no buffer size for it any more.
    private func release(_ raw: UnsafeMutableRawPointer, isReusable: Bool = false) {
        guard let (handle, transfer) = running.removeValue(forKey: raw) else { return }
        curl_multi_remove_handle(multi, raw)
        queue.finished(lane: transfer.lane)
        if isReusable, spare.count < Self.spareLimit { spare.append(handle) }
    }

    // MARK: Time

    private func check(at time: ContinuousClock.Instant) { nextCheck = min(nextCheck ?? time, time) }

    /// Ends what has taken too long, and finds out when to look again.
    private func checkTimes(_ now: ContinuousClock.Instant) {
        nextCheck = nil
        for transfer in queue.remove(where: { $0.deadline.map { now >= $0 } ?? false }) {
            transfer.finish(.failure(.late(transfer)))
        }
        for transfer in queue.waiting { if let deadline = transfer.deadline { check(at: deadline) } }
        for (raw, entry) in running {
            let transfer = entry.transfer
            if let deadline = transfer.deadline {
                guard now < deadline else {
                    transfer.finish(.failure(.late(transfer)))
                    release(raw)
                    continue
                }
                check(at: deadline)
            }
            let handle = entry.handle
            switch transfer.stall.look(
                at: now,
                bytes: handle.isConnected && !transfer.isPaused ? handle.bytesMoved : nil
            ) {
            case .look(let time):
                check(at: time)
            case .stalled:
                transfer.finish(.failure(.stalled(transfer)))
                release(raw)
            }
        }
    }
}

extension NetworkError {
    fileprivate static func late(_ transfer: CurlTransfer) -> NetworkError {
        NetworkError(
            .timedOut,
            "\(transfer.origin.origin) did not answer within \(transfer.request.timeouts.total ?? .zero)."
        )
    }

    fileprivate static func stalled(_ transfer: CurlTransfer) -> NetworkError {
        NetworkError(
            .timedOut,
            "\(transfer.origin.origin) sent and took nothing for \(transfer.request.timeouts.stall)."
        )
    }
}
