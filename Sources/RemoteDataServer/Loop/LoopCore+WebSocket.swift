import CLibWebSockets

extension LoopCore {
    /// A WebSocket is open.
    ///
    /// - Returns: Anything but 0 when the connection is to be closed.
    func socketOpened(_ wsi: OpaquePointer) -> Int32 {
        guard let arrival = arrivals.removeValue(forKey: wsi) ?? adopting.take() else { return -1 }
        lastNumber += 1
        let (number, mailbox, limits) = (lastNumber, mailbox, connectionConfiguration.limits)
        let outbox = Outbox(
            frameLimit: limits.queuedFrames,
            byteLimit: limits.queuedBytes,
            sharing: frameRoom
        ) { mailbox.post(.framesWait(socket: number)) }
        let book = SubscriptionBook(limit: limits.subscriptionsPerConnection)
        sockets[wsi] = Socket(number: number, arrival: arrival, outbox: outbox, book: book)
        places[number] = wsi
        let head = HTTPRequestHead(method: "GET", target: "/api/changes")
        guard let log = plan.configuration.log else { return 0 }
        Task(executorPreference: plan.executor) {
            log(RequestLog(head, status: 101, bytes: 0, since: .now))
        }
        return 0
    }

    /// A WebSocket is gone.
    func socketClosed(_ wsi: OpaquePointer) {
        guard let socket = sockets.removeValue(forKey: wsi) else { return }
        places[socket.number] = nil
        end(socket)
        lookAgain()
    }

    /// Ends a WebSocket's subscriptions.
    func end(_ socket: Socket) {
        socket.outbox.close()
        for task in socket.tasks.values { task.cancel() }
    }

    /// Part of a message came in.
    func socketReceived(_ bytes: UnsafeRawBufferPointer, on wsi: OpaquePointer) -> Int32 {
        guard let socket = sockets[wsi], !socket.isClosing else { return 0 }
        guard socket.input.count + bytes.count <= connectionConfiguration.limits.frameBytes else {
            return close(wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "The frame is too long.")
        }
        sockets[wsi]?.input += bytes
        guard lws_is_final_fragment(wsi) != 0 else { return 0 }
        let message = sockets[wsi]?.input ?? []
        sockets[wsi]?.input = []
        let outbox = socket.outbox
        do throws(ClientFrame.Problem) {
            guard lws_frame_is_binary(wsi) == 0 else {
                throw ClientFrame.Problem(code: 1000, message: "Frames are text, not binary.")
            }
            switch try ClientFrame(message[...]) {
            case .subscribe(let request): try subscribe(request, on: wsi)
            case .unsubscribe(let id):
                if let number = sockets[wsi]?.book.end(id) {
                    outbox.end(number)
                    sockets[wsi]?.tasks.removeValue(forKey: number)?.cancel()
                }
                outbox.answer(.unsubscribed(id: id))
            }
        } catch { outbox.answer(.error(error)) }
        // Whoever reads nothing may never let the loop write again.
        return outbox.isOverrun ? closeUnread(wsi) : 0
    }

    private func subscribe(_ request: SubscriptionRequest, on wsi: OpaquePointer) throws(ClientFrame.Problem)
    {
        guard let socket = sockets[wsi] else { return }
        guard let number = try sockets[wsi]?.book.begin(request.id) else { return }
        socket.outbox.begin(number)
        let forwarder = SubscriptionForwarder(
            api: plan.api.asked(by: socket.arrival.caller),
            request: request,
            number: number,
            outbox: socket.outbox
        )
        let (mailbox, place) = (mailbox, socket.number)
        sockets[wsi]?.tasks[number] = Task(executorPreference: plan.executor) {
            await forwarder.run()
            mailbox.post(.subscriptionEnded(socket: place, id: request.id, number: number))
        }
    }

    /// The WebSocket takes more: all frames that wait go out in one write, as far as there is room.
    ///
    /// libwebsockets would send each frame by itself; what is written to it as HTTP goes out as it is.
    func socketCanWrite(_ wsi: OpaquePointer) -> Int32 {
        guard let socket = sockets[wsi] else { return 0 }
        if socket.isClosing { return close(wsi, LWS_CLOSE_STATUS_GOINGAWAY, "The server is stopping.") }
        if socket.outbox.isOverrun { return closeUnread(wsi) }
        let (pieces, hasMore) = socket.outbox.nextBatch(maximum: Self.pieceSize)
        guard !pieces.isEmpty else { return 0 }
        let start = memory.scratch + clws_server_padding()
        var count = 0
        for piece in pieces {
            for part in [piece.head[...], piece.bytes] {
                part.withUnsafeBufferPointer { buffer in
                    if let base = buffer.baseAddress {
                        (start + count).update(from: base, count: buffer.count)
                    }
                }
                count += part.count
            }
        }
        guard lws_write(wsi, start, count, LWS_WRITE_HTTP) >= 0 else { return -1 }
        if hasMore { lws_callback_on_writable(wsi) }
        return 0
    }

    private func closeUnread(_ wsi: OpaquePointer) -> Int32 {
        // libwebsockets waits for what is on its way, and would ask again and again for what nobody reads any more.
        lws_rx_flow_control(wsi, 0)
        return close(wsi, LWS_CLOSE_STATUS_POLICY_VIOLATION, "Answers are not read.")
    }

    /// Closes a WebSocket, from its own callbacks, with a reason.
    private func close(_ wsi: OpaquePointer, _ status: lws_close_status, _ reason: String) -> Int32 {
        var bytes = Array(reason.utf8)
        lws_close_reason(wsi, status, &bytes, bytes.count)
        return -1
    }
}
