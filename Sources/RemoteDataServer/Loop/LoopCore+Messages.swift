import CLibWebSockets

extension LoopCore {
    /// Another thread left messages, or a connection waits to become a WebSocket.
    func wasWoken(_ wsi: OpaquePointer) {
        // libwebsockets tells each protocol; the first one takes everything.
        for message in mailbox.take() {
            switch message {
            case .answered(let connection, let answer): answered(connection, answer)
            case .framesWait(let socket): if let wsi = places[socket] { lws_callback_on_writable(wsi) }
            case .subscriptionEnded(let socket, let id, let number):
                guard let wsi = places[socket] else { continue }
                sockets[wsi]?.book.end(id, number: number)
                sockets[wsi]?.tasks[number] = nil
            case .stop: stop()
            }
        }
        adoptUpgrades()
    }

    private func adoptUpgrades() {
        let waiting = upgrades
        upgrades = []
        for (descriptor, bytes, arrival) in waiting {
            guard let host, !isStopping else {
                ListeningSocket.close(descriptor)
                continue
            }
            // It may open the WebSocket before it returns, or later.
            adopting = arrival
            let wsi = bytes.withUnsafeBufferPointer { buffer in
                buffer.withMemoryRebound(to: CChar.self) { text in
                    // On failure it has closed the descriptor.
                    lws_adopt_socket_vhost_readbuf(host, descriptor, text.baseAddress, text.count)
                }
            }
            if let wsi, adopting != nil { arrivals[wsi] = arrival }
            adopting = nil
        }
    }

    /// Takes no more connections, and ends those there are once they are done.
    private func stop() {
        guard !isStopping else { return }
        isStopping = true
        if let listener { kill(listener) }
        for (wsi, link) in links where carryOut(link.machine.stop(), on: wsi) != 0 { kill(wsi) }
        for wsi in sockets.keys {
            sockets[wsi]?.isClosing = true
            sockets[wsi].map(end)
            lws_callback_on_writable(wsi)
        }
        let time = plan.configuration.deadlines.stop
        deadline = .now + time
        memory.wake(context, after: time)
    }
}
