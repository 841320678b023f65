import Testing

@testable import RemoteDataNetwork

@Suite struct MessageAssemblerTests {
    private func take(
        _ assembler: inout MessageAssembler,
        _ text: String,
        first: Bool = true,
        last: Bool = true,
        isText: Bool = true,
        rest: Int = 0
    ) -> MessageAssembler.Step {
        Array(text.utf8).withUnsafeBytes {
            assembler.take($0, isFirst: first, isLast: last, isText: isText, rest: rest)
        }
    }

    @Test func piecesBecomeOneMessage() {
        var assembler = MessageAssembler(limit: 100)
        #expect(take(&assembler, "a", last: false, rest: 1) == .more)
        #expect(take(&assembler, "b", first: false, last: false) == .more)
        #expect(take(&assembler, "c", first: false) == .message(.text("abc")))
        #expect(take(&assembler, "d", isText: false) == .message(.binary([0x64])))
    }

    @Test func aNewMessageForgetsAnUnfinishedOne() {
        var assembler = MessageAssembler(limit: 100)
        _ = take(&assembler, "a", last: false)
        #expect(take(&assembler, "b") == .message(.text("b")))
    }

    @Test func theAnnouncedRestCountsAgainstTheLimit() {
        var assembler = MessageAssembler(limit: 10)
        guard case .fail(let reason) = take(&assembler, "a", last: false, rest: 10) else {
            Issue.record("accepted")
            return
        }
        #expect(reason.code == 1_009)
    }

    @Test func exactlyTheLimitIsAccepted() {
        var assembler = MessageAssembler(limit: 4)
        #expect(take(&assembler, "ab", last: false, rest: 1) == .more)
        #expect(take(&assembler, "cd", first: false) == .message(.text("abcd")))
    }

    @Test func onlyTextMustBeUTF8() {
        var assembler = MessageAssembler(limit: 4)
        let bytes: [UInt8] = [0xFF]
        let text = bytes.withUnsafeBytes {
            assembler.take($0, isFirst: true, isLast: true, isText: true, rest: 0)
        }
        guard case .fail(let reason) = text else {
            Issue.record("accepted")
            return
        }
        #expect(reason.code == 1_007)
        let binary = bytes.withUnsafeBytes {
            assembler.take($0, isFirst: true, isLast: true, isText: false, rest: 0)
        }
        #expect(binary == .message(.binary(bytes)))
    }
}

@Suite struct ReceiveBufferTests {
    private func buffer(messages: Int = 3, bytes: Int = 100) -> ReceiveBuffer {
        var limits = WebSocketLimits()
        limits.bufferedMessages = messages
        limits.bufferedBytes = bytes
        return ReceiveBuffer(limits)
    }

    @Test func theLastMessageThatFitsPauses() {
        var buffer = buffer()
        let pauses = ["1", "2", "3"].map { buffer.add(.text($0)) }
        #expect(pauses == [false, false, true])
        #expect(buffer.isPaused)
    }

    @Test func manyBytesPauseToo() {
        var buffer = buffer(bytes: 4)
        let pauses = ["abc", "d"].map { buffer.add(.text($0)) }
        #expect(pauses == [false, true])
    }

    @Test func takingEverythingResumesOnlyAfterAPause() {
        var buffer = buffer()
        _ = buffer.add(.text("1"))
        let first = buffer.takeAll()
        #expect(!first.resumes)
        for _ in 0..<3 { _ = buffer.add(.text("x")) }
        let (messages, resumes) = buffer.takeAll()
        #expect(messages.count == 3)
        #expect(resumes)
        #expect(buffer.isEmpty && !buffer.isPaused)
    }

    @Test func whatIsPutBackComesFirstAndCountsAgain() {
        var buffer = buffer(bytes: 4)
        _ = buffer.add(.text("ab"))
        let taken = buffer.takeAll().messages
        _ = buffer.add(.text("c"))
        buffer.putBack(taken, pauses: false)
        #expect(!buffer.isPaused)
        let pauses = buffer.add(.text("d"))
        #expect(pauses)
        #expect(buffer.takeAll().messages.map(\.text) == ["ab", "c", "d"])
    }
}

@Suite struct SharedMemoryTests {
    private func taken(_ messages: [WebSocketMessage]) -> [WebSocketMessage] {
        var buffer = ReceiveBuffer(WebSocketLimits())
        for message in messages { _ = buffer.add(message) }
        let taken = buffer.takeAll().messages
        #expect(taken == messages)
        #expect(buffer.isEmpty)
        return taken
    }

    private func text(_ size: Int) -> WebSocketMessage { .text(String(repeating: "a", count: size)) }

    @Test func smallMessagesShareLittleMemory() {
        let taken = taken((0..<1_000).map { text($0 % 90) })
        #expect(taken.allSatisfy { $0.memory.count <= 4 << 10 })
        #expect(taken[0].memory.count > 3 << 10)
        #expect(taken[0].memory == taken[1].memory)
    }

    @Test func aLargeMessageHasMemoryOfItsOwnAndItsPlace() {
        let large = WebSocketMessage.binary([UInt8](repeating: 1, count: 1_025))
        let taken = taken([text(1), large, text(1_024), text(0), large, large, text(3), text(0)])
        #expect(taken.map(\.memory.count) == [1, 1_025, 1_024, 1_024, 1_025, 1_025, 3, 3])
    }

    @Test func fewMessagesTakeLittleMoreMemoryThanTheyNeed() {
        for sizes in [[300], [300, 300], [5_000, 300], [300, 5_000, 1, 300]] {
            let taken = taken(sizes.map(text))
            for message in taken where message.range.count < 5_000 {
                #expect(message.memory.capacity < 1_300, "\(sizes)")
            }
        }
    }

    @Test func whatIsPutBackIsInItsPlaceHoweverLargeItIs() {
        var buffer = ReceiveBuffer(WebSocketLimits())
        for size in [1, 3_000, 2] { _ = buffer.add(text(size)) }
        let taken = buffer.takeAll().messages
        for size in [4, 5_000, 5] { _ = buffer.add(text(size)) }
        buffer.putBack(taken, pauses: false)
        _ = buffer.add(text(6))
        #expect(buffer.takeAll().messages.map(\.range.count) == [1, 3_000, 2, 4, 5_000, 5, 6])
    }
}

@Suite struct LivenessTests {
    private func liveness() -> Liveness {
        var limits = WebSocketLimits()
        limits.pingInterval = .seconds(20)
        limits.pongDeadline = .seconds(10)
        return Liveness(limits, now: .zero)
    }

    @Test func silenceLeadsToAPingAndThenToDeath() {
        var liveness = liveness()
        #expect(liveness.timerFired(now: .seconds(19)) == .wait(.seconds(1)))
        #expect(liveness.timerFired(now: .seconds(20)) == .ping(thenWait: .seconds(10)))
        #expect(liveness.timerFired(now: .seconds(29)) == .wait(.seconds(1)))
        #expect(liveness.timerFired(now: .seconds(30)) == .dead)
    }

    @Test func anythingHeardAnswersThePing() {
        var liveness = liveness()
        #expect(liveness.heard(now: .seconds(5)) == nil)
        #expect(liveness.timerFired(now: .seconds(20)) == .wait(.seconds(5)))
        #expect(liveness.timerFired(now: .seconds(25)) == .ping(thenWait: .seconds(10)))
        #expect(liveness.heard(now: .seconds(27)) == .seconds(2))
        #expect(liveness.timerFired(now: .seconds(35)) == .wait(.seconds(12)))
    }

    @Test func whileReadingIsPausedNothingIsConcluded() {
        var liveness = liveness()
        _ = liveness.timerFired(now: .seconds(20))
        liveness.paused()
        #expect(liveness.timerFired(now: .seconds(1_000)) == .wait(.seconds(20)))
        liveness.resumed(now: .seconds(1_010))
        #expect(liveness.timerFired(now: .seconds(1_020)) == .wait(.seconds(10)))
        #expect(liveness.timerFired(now: .seconds(1_030)) == .ping(thenWait: .seconds(10)))
    }
}
