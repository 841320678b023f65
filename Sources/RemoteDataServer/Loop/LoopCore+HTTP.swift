import CLibWebSockets
import RemoteData

extension LoopCore {
    /// Connections wait to be accepted.
    func acceptConnections() {
        guard let listener, let host else { return }
        // Others get their turn between as many as this.
        for _ in 0..<64 {
            let (descriptor, isOutOfDescriptors) = ListeningSocket.accept(lws_get_socket_fd(listener))
            guard let descriptor else {
                // The listening socket stays readable, and would be served over and over.
                if isOutOfDescriptors {
                    for _ in 0..<16 { closeSilent() }
                    lws_rx_flow_control(listener, 0)
                    lws_set_timer_usecs(listener, 100_000)
                }
                return
            }
            let socket = lws_sock_file_fd_type(sockfd: descriptor)
            _ = lws_adopt_descriptor_vhost(host, LWS_ADOPT_SOCKET, socket, LoopMemory.httpProtocol, nil)
        }
    }

    /// A connection was accepted.
    func opened(_ wsi: OpaquePointer) -> Int32 {
        lastNumber += 1
        let link = Link(number: lastNumber, HTTPConnection(connectionConfiguration))
        link.visitor = arrive(wsi)
        link.machine.admit = { [unowned self, unowned link] caller in admit(link, caller) }
        links[wsi] = link
        places[lastNumber] = wsi
        return carryOut(link.machine.opened(), on: wsi)
    }

    /// Bytes came in.
    func received(_ bytes: UnsafeRawBufferPointer, on wsi: OpaquePointer) -> Int32 {
        guard let link = links[wsi] else { return 0 }
        let code = carryOut(link.machine.received(bytes), on: wsi)
        count(link)
        guard code == 0, heldBytes > connectionConfiguration.limits.requestBytes else { return code }
        defer { count(link) }
        return carryOut(link.machine.overloaded(), on: wsi)
    }

    /// Keeps count of what a connection keeps.
    private func count(_ link: Link) {
        let held = link.machine.heldBytes
        heldBytes += held - link.held
        link.held = held
    }

    /// The time that was set has passed.
    func deadlinePassed(_ wsi: OpaquePointer) -> Int32 {
        guard let link = links[wsi] else { return 0 }
        let hasHungUp = ListeningSocket.hasHungUp(lws_get_socket_fd(wsi))
        return carryOut(link.machine.deadlinePassed(date: date, hasHungUp: hasHungUp), on: wsi)
    }

    /// The socket takes more bytes.
    func canWrite(_ wsi: OpaquePointer) -> Int32 {
        guard let link = links[wsi], !link.output.isEmpty else { return 0 }
        let (output, sent) = (link.output, link.sent)
        let count = min(Self.pieceSize, output.count - sent)
        if count > 0 {
            let written = output.withUnsafeBufferPointer { buffer -> Int32 in
                guard let base = buffer.baseAddress else { return 0 }
                // SAFETY: raw writes only read; libwebsockets copies what the socket does not take at once.
                return lws_write(wsi, UnsafeMutablePointer(mutating: base + sent), count, LWS_WRITE_HTTP)
            }
            guard written >= 0 else { return -1 }
            link.sent += count
        }
        // What libwebsockets has copied is not out yet.
        guard link.sent == output.count, lws_partial_buffered(wsi) == 0 else {
            lws_callback_on_writable(wsi)
            return carryOut(link.machine.wrotePart(), on: wsi)
        }
        clear(link)
        return carryOut(link.machine.written(), on: wsi)
    }

    /// A connection is gone.
    func closed(_ wsi: OpaquePointer) {
        guard let link = links.removeValue(forKey: wsi) else { return }
        places[link.number] = nil
        heldBytes -= link.held
        link.budget?.stop()
        clear(link)
        link.visitor = nil
        lookAgain()
    }

    /// The listening socket is gone.
    func listenerClosed() {
        listener = nil
        lookAgain()
    }

    /// An answer is there, unless its connection is gone.
    func answered(_ number: UInt64, _ answer: HTTPAnswer) {
        working -= 1
        guard let wsi = places[number], let link = links[wsi] else { return }
        link.share = answer.share
        if carryOut(link.machine.answered(answer, date: date), on: wsi) != 0 { kill(wsi) }
        count(link)
    }

    /// Does what a connection decided.
    ///
    /// - Returns: Anything but 0 when the connection is to be closed.
    func carryOut(_ actions: [HTTPConnection.Action], on wsi: OpaquePointer) -> Int32 {
        for action in actions {
            switch action {
            case .perform(let work): perform(work, for: wsi)
            case .write(let bytes):
                write(bytes, on: wsi)
            case .read(let isReading): lws_rx_flow_control(wsi, isReading ? 1 : 0)
            case .setDeadline(let duration): lws_set_timer_usecs(wsi, duration?.microseconds ?? -1)
            case .upgrade(let upgrade, let firstBytes):
                return upgradeLater(wsi, upgrade, firstBytes)
            case .finishWriting: ListeningSocket.finishWriting(lws_get_socket_fd(wsi))
            case .close: return -1
            }
        }
        return 0
    }

    private func write(_ bytes: [UInt8], on wsi: OpaquePointer) {
        guard let link = links[wsi] else { return }
        link.append(bytes)
        unreadBytes += bytes.count
        lws_callback_on_writable(wsi)
        if unreadBytes > connectionConfiguration.limits.unreadBytes { closeUnread(but: wsi) }
    }

    /// Closes the connections whose answers have waited longest, until there is room again.
    private func closeUnread(but newest: OpaquePointer) {
        let waiting = links.filter { !$0.value.output.isEmpty && $0.key != newest }
            .sorted { $0.value.waitsSince < $1.value.waitsSince }
        for (wsi, link) in waiting where unreadBytes > connectionConfiguration.limits.unreadBytes {
            clear(link)
            kill(wsi)
        }
    }

    private func clear(_ link: Link) {
        unreadBytes -= link.output.count
        link.clear()
    }

    private func perform(_ work: HTTPConnection.Work, for wsi: OpaquePointer) {
        guard let link = links[wsi] else { return }
        working += 1
        let (number, began) = (link.number, ContinuousClock.now)
        let budget = WorkBudget(until: began + plan.configuration.deadlines.query, within: nil)
        (link.budget, link.lastRequest) = (budget, began)
        let (api, log, mailbox) = (plan.api, plan.configuration.log, mailbox)
        requests.perform {
            let answer: HTTPAnswer =
                if let refusal = work.refusal {
                    refusal.answer
                } else if let head = work.head {
                    await WorkBudget.$current.withValue(budget) {
                        await api.answer(HTTPRequest(head: head, body: work.body))
                    }
                } else {
                    HTTPRefusal.unreadable("There is no request.").answer
                }
            let (status, bytes, problem) = (answer.status, answer.body.count, answer.problem)
            log?(RequestLog(work.head, status: status, bytes: bytes, problem, since: began))
            mailbox.post(.answered(connection: number, answer))
        }
    }

    /// Hands a connection over to libwebsockets' WebSocket code, once this callback is over.
    ///
    /// The connection lives on in a second descriptor; closing the raw one neither shuts it down nor loses a
    /// byte.
    private func upgradeLater(
        _ wsi: OpaquePointer,
        _ upgrade: WebSocketUpgrade,
        _ firstBytes: [UInt8]
    ) -> Int32 {
        let visitor = links[wsi]?.visitor.take()
        if let caller = upgrade.caller, let descriptor = ListeningSocket.duplicate(lws_get_socket_fd(wsi)) {
            let arrival = Arrival(caller: caller, visitor: visitor)
            upgrades.append((descriptor, upgrade.canonicalRequest + firstBytes, arrival))
            lws_cancel_service(context)
        }
        return -1
    }
}

extension RequestLog {
    init(
        _ head: HTTPRequestHead?,
        status: Int,
        bytes: Int,
        _ problem: String? = nil,
        since began: ContinuousClock.Instant
    ) {
        self.init(
            method: head?.method ?? "",
            target: head?.target ?? "",
            status: status,
            bytes: bytes,
            problem: problem,
            duration: ContinuousClock.now - began
        )
    }
}
