import RemoteData
import Testing

@Suite struct EpochTests {
    private let epoch = Epoch(rawValue: 0x0A1B_2C3D)

    @Test("An epoch is eight hexadecimal digits on the wire")
    func anEpochIsEightDigits() throws {
        #expect(epoch?.description == "0a1b2c3d")
        for number: UInt32 in [1, 0xF, 0x0A1B_2C3D, .max] {
            let epoch = try #require(Epoch(rawValue: number))
            #expect(epoch.description.utf8.count == 8)
            #expect(Epoch(epoch.description) == epoch)
            #expect(Epoch(epoch.description.uppercased()) == epoch)
        }
    }

    @Test("Any other text is no epoch")
    func otherTextIsNoEpoch() {
        #expect(Epoch(rawValue: 0) == nil)
        for text in ["", "0a1b2c3", "0a1b2c3d4", "0a1b2c3g", "-a1b2c3d", "+a1b2c3d", "00000000", " a1b2c3d"] {
            #expect(Epoch(text) == nil, "\(text)")
        }
    }

    @Test("Random epochs differ")
    func randomEpochsDiffer() {
        #expect(Set((0..<100).map { _ in Epoch.random() }).count == 100)
        var (first, second) = (SeededGenerator(seed: 1), SeededGenerator(seed: 1))
        #expect(Epoch.random(using: &first) == Epoch.random(using: &second))
    }

    @Test("No revision comes after the largest, which a server may send")
    func nothingFollowsTheLargest() {
        #expect(Revision(7, epoch: epoch).next == Revision(8, epoch: epoch))
        #expect(Revision(.max, epoch: epoch).next < .zero)
    }

    @Test("Revisions of two epochs are never equal")
    func revisionsOfTwoEpochsDiffer() {
        let (first, second) = (Revision(5, epoch: epoch), Revision(5, epoch: Epoch(rawValue: 2)))
        #expect(first != second && first != Revision(5) && first == Revision(5, epoch: epoch))
        #expect(!first.isOfSameHistory(as: second) && !first.isOfSameHistory(as: Revision(5)))
        #expect(first.isOfSameHistory(as: Revision(9, epoch: epoch)))
        #expect(Set([first, second, Revision(5), first]).count == 3)
        #expect(first.epoch == epoch && Revision(5).epoch == nil)
    }

    @Test("Revisions of any epochs have one total order")
    func theOrderIsTotal() {
        let epochs = [nil, Epoch(rawValue: 1), epoch, Epoch(rawValue: .max)]
        let sorted = [Int64.min, -1, 0, 7, .max].flatMap { number in
            epochs.map { Revision(number, epoch: $0) }
        }
        for (place, left) in sorted.enumerated() {
            for (other, right) in sorted.enumerated() {
                #expect((left < right) == (place < other))
                #expect((left == right) == (place == other))
            }
        }
    }

    @Test("A revision is printed with its epoch and read again")
    func aRevisionIsPrintedAndRead() {
        #expect(Revision(17, epoch: epoch).description == "17-0a1b2c3d")
        #expect(Revision(17).description == "17")
        for revision in [Revision(0), Revision(17), Revision(.max, epoch: epoch), Revision(0, epoch: epoch)] {
            #expect(Revision(tag: revision.description) == revision)
        }
        for text in ["", "-", "-0a1b2c3d", "5-", "5-0a1b2c3", "5-0a1b2c3d-", "x-0a1b2c3d", "-5", "5 "] {
            #expect(Revision(tag: text) == nil, "\(text)")
        }
    }

    @Test("Zero without an epoch is the beginning of every history")
    func zeroIsTheBeginning() {
        #expect(Revision.zero.point(in: epoch) == Revision(0, epoch: epoch))
        #expect(Revision(5, epoch: epoch).point(in: epoch) == Revision(5, epoch: epoch))
        #expect(Revision(5).point(in: nil) == Revision(5))
        #expect(Revision(5).point(in: epoch) == nil)
        #expect(Revision(5, epoch: epoch).point(in: nil) == nil)
        #expect(Revision(0, epoch: epoch).point(in: nil) == nil)
    }

    @Test("A revision reaches those of its own history alone")
    func aRevisionReachesItsOwnHistory() {
        let five = Revision(5, epoch: epoch)
        #expect(five.reaches(Revision(5, epoch: epoch)) && five.reaches(Revision(4, epoch: epoch)))
        #expect(!five.reaches(Revision(6, epoch: epoch)) && !five.reaches(Revision(4)))
        #expect(five.reaches(.zero) && Revision.zero.reaches(Revision(0, epoch: epoch)))
        #expect(!Revision.zero.reaches(Revision(1, epoch: epoch)))
        #expect(!Revision(9, epoch: epoch).reaches(Revision(0, epoch: Epoch(rawValue: 2))))
    }

    @Test("The later of two revisions of one history, or the new one of another")
    func aRevisionAdvances() {
        let five = Optional(Revision(5, epoch: epoch))
        #expect(five.advanced(to: Revision(7, epoch: epoch)) == Revision(7, epoch: epoch))
        #expect(five.advanced(to: Revision(3, epoch: epoch)) == five)
        #expect(five.advanced(to: Revision(3)) == Revision(3))
        #expect(Revision?.none.advanced(to: Revision(3)) == Revision(3))
    }
}
