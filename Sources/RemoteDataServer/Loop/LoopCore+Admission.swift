import CLibWebSockets

// Who may be connected, and who has to make room.
extension LoopCore {
    /// A connection was accepted, for which another one that has not asked for anything may have to go.
    func arrive(_ wsi: OpaquePointer) -> Admission.Visitor {
        if admission.isCrowded { closeSilent() }
        return admission.arrive(from: PeerAddress(of: lws_get_socket_fd(wsi)))
    }

    /// Closes a connection that has not asked for anything, if there is one.
    ///
    /// - Complexity: O(connections).
    func closeSilent() {
        let silent = links.values.compactMap { link in
            link.visitor.flatMap { $0.standing == .unknown ? (link.number, $0.address) : nil }
        }
        if let number = Admission.leastWanted(silent), let wsi = places[number] { dismiss(wsi) }
    }

    /// Admits the caller of a request that is permitted.
    ///
    /// A guest's connection that waits for its next request makes room for another one.
    /// - Returns: Why it is refused nevertheless; nil when it is not.
    func admit(_ link: Link, _ caller: Caller) -> HTTPRefusal? {
        guard let visitor = link.visitor else { return .tooManyConnections }
        let standing = caller.isGuest ? Admission.Standing.guest : .member
        // There may be another one behind the first.
        while let obstacle = admission.obstacle(for: visitor, as: standing) {
            let address = obstacle == .address ? visitor.address : nil
            guard closeIdleGuest(at: address, but: link) else {
                return address == nil ? .tooManyConnections : .tooManyFromOneAddress
            }
        }
        admission.admit(visitor, as: standing)
        return nil
    }

    /// Closes the connection of a guest that has waited longest for its next request.
    ///
    /// - Returns: Whether there is one.
    /// - Complexity: O(connections).
    private func closeIdleGuest(at address: PeerAddress?, but link: Link) -> Bool {
        let idle = links.filter { wsi, other in
            // libwebsockets may still have a part of an answer.
            guard other !== link, lws_partial_buffered(wsi) == 0, let visitor = other.visitor,
                visitor.standing == .guest
            else {
                return false
            }
            return other.machine.isWaiting && (address == nil || visitor.address == address)
        }
        guard let oldest = idle.min(by: { $0.value.lastRequest < $1.value.lastRequest }) else { return false }
        dismiss(oldest.key)
        return true
    }

    /// Closes a connection, which counts for nothing from now on.
    private func dismiss(_ wsi: OpaquePointer) {
        links[wsi]?.visitor = nil
        kill(wsi)
    }
}
