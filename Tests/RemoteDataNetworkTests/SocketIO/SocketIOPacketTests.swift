import Testing

@testable import RemoteDataNetwork

@Suite struct SocketIOPacketTests {
    private func packet(_ text: String) -> SocketIOPacket? { SocketIOPacket(Array(text.utf8)) }

    private func payload(_ text: String) -> String? {
        packet(text).map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test func aPacketHasATypeANamespaceAndJSON() {
        #expect(packet(#"2/app,["e",1]"#)?.kind == .event)
        #expect(packet(#"2/app,["e",1]"#)?.namespace == "/app")
        #expect(payload(#"2/app,["e",1]"#) == #"["e",1]"#)
        #expect(packet(#"2["e",1]"#)?.namespace == "/")
        #expect(payload(#"2["e",1]"#) == #"["e",1]"#)
    }

    @Test func theNumberOfAnAcknowledgementIsNotPartOfTheJSON() {
        #expect(payload(#"212["e"]"#) == #"["e"]"#)
        #expect(payload(#"3/app,12["r"]"#) == #"["r"]"#)
    }

    @Test func aNamespaceMayEndThePacketOrHoldAQuery() {
        #expect(packet("0/app")?.namespace == "/app")
        #expect(packet("0/app,")?.namespace == "/app")
        #expect(packet("0/app?token=x,")?.namespace == "/app")
        #expect(payload("0/app,{\"sid\":\"x\"}") == "{\"sid\":\"x\"}")
    }

    @Test func aBinaryEventTellsItsAttachmentsFirst() {
        #expect(payload(#"51-/app,["e",{"_placeholder":true,"num":0}]"#)?.hasPrefix("[\"e\"") == true)
        #expect(packet("5[]") == nil)
    }

    @Test(arguments: ["", "9", "x"]) func whatIsNoPacketIsRefused(text: String) {
        #expect(packet(text) == nil)
    }

    @Test func packetsAreWrittenAsTheyAreRead() {
        let event = SocketIOPacket(.event, namespace: "/app", payload: Array(#"["e",1]"#.utf8))
        #expect(String(decoding: event.text(), as: UTF8.self) == #"42/app,["e",1]"#)
        #expect(String(decoding: SocketIOPacket(.connect).text(), as: UTF8.self) == "40")
        #expect(
            String(decoding: SocketIOPacket(.connect, namespace: "/a").text(query: "q=1"), as: UTF8.self)
                == "40/a?q=1,"
        )
    }
}
