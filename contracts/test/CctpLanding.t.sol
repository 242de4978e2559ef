// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {CctpMessageTransmitter, CctpTokenMessenger, CctpTokenMinter} from "../../fixtures/sandbox-contracts/Cctp.sol";
import {CctpLanding} from "../src/CctpLanding.sol";
import {DestinationReceiver} from "../src/DestinationReceiver.sol";
import {InsufficientGas, MalformedMessage, NotMessenger} from "../src/Errors.sol";
import {Order} from "../src/Types.sol";
import {Base, Steps} from "./Base.sol";
import {BlockingToken} from "./mocks/Tokens.sol";

/// @dev Receives a message of its own, and has a burn minted in the middle that anybody may.
contract MintingHandler {
    CctpMessageTransmitter private immutable transmitter;
    bytes private message;
    bytes private attestation;

    constructor(CctpMessageTransmitter transmitter_, bytes memory message_, bytes memory attestation_) {
        (transmitter, message, attestation) = (transmitter_, message_, attestation_);
    }

    function handleReceiveFinalizedMessage(uint32, bytes32, uint32, bytes calldata) external returns (bool) {
        return transmitter.receiveMessage(message, attestation);
    }
}

/// @dev CCTP mints for whoever brings an attested message, at our landing alone; see docs/explanation/crosschain.md.
contract CctpLandingTest is Base {
    uint32 private constant SOURCE = 3;
    uint32 private constant HERE = 0;
    uint256 private constant ATTESTER_KEY = 0xa77e57;
    bytes32 private constant REMOTE_TOKEN = bytes32(uint256(0x705e4));
    bytes32 private constant REMOTE_MESSENGER = bytes32(uint256(0x4e55));

    DestinationReceiver private destination = DestinationReceiver(deployShipped("DestinationReceiver"));
    CctpMessageTransmitter private transmitter =
        new CctpMessageTransmitter(HERE, address(this), vm.addr(ATTESTER_KEY));
    CctpTokenMinter private minter;
    CctpTokenMessenger private messenger;
    CctpLanding private landing;
    address private fallbackReceiver = address(0xfa11);
    uint256 private nonces;

    function setUp() public override {
        super.setUp();
        minter = new CctpTokenMinter(address(this));
        messenger = new CctpTokenMessenger(address(this), address(transmitter), minter, feeReceiver);
        minter.addLocalTokenMessenger(address(messenger));
        messenger.addRemoteTokenMessenger(SOURCE, REMOTE_MESSENGER);
        link(address(weth));
        weth.transfer(address(minter), 1_000 ether);
        landing = land(address(transmitter), address(messenger));
    }

    function link(address token) private {
        minter.linkTokenPair(token, SOURCE, remoteOf(token));
    }

    function remoteOf(address token) private view returns (bytes32) {
        return token == address(weth) ? REMOTE_TOKEN : bytes32(uint256(uint160(token)));
    }

    function land(address transmitter_, address messenger_) private returns (CctpLanding) {
        bytes memory args = abi.encode(transmitter_, messenger_, destination);
        return CctpLanding(vm.deployCode("contracts/out/CctpLanding.sol/CctpLanding.json", args));
    }

    function word(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }

    /// @dev A burn on the source as it is attested: final, and with `fee` kept.
    function burnt(address to, bytes32 caller, address token, uint256 amount, uint256 fee, bytes memory hook)
        private
        returns (bytes memory)
    {
        bytes memory head = abi.encodePacked(uint32(1), SOURCE, HERE, bytes32(++nonces), REMOTE_MESSENGER);
        bytes memory rest = abi.encodePacked(word(address(messenger)), caller, uint32(2000), uint32(2000));
        bytes memory body = abi.encodePacked(uint32(1), remoteOf(token), word(to), amount, word(user), fee, fee);
        return abi.encodePacked(head, rest, body, uint256(0), hook);
    }

    function ours(uint256 amount, bytes memory hook) private returns (bytes memory) {
        return burnt(address(landing), word(address(landing)), address(weth), amount, 0, hook);
    }

    function attested(bytes memory message) private view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ATTESTER_KEY, keccak256(message));
        return abi.encodePacked(r, s, v);
    }

    /// @dev By anybody.
    function claim(bytes memory message) private {
        bytes memory attestation = attested(message);
        vm.prank(stranger);
        landing.receiveMessage(message, attestation);
    }

    function swapMessage(uint256 minimum, uint256 minimumGas) private view returns (bytes memory) {
        bytes memory steps = Steps.pack(poolSwap(receiver));
        Order memory order = paidBySteps(makeOrder(address(weth), 0, address(usdc), minimum, steps));
        return deliveryMessage(order, fallbackReceiver, minimumGas, 0);
    }

    function theft() private view returns (bytes memory) {
        return deliveryMessage(makeOrder(address(weth), 0, address(weth), 0, hex"ff"), stranger, 0, 0);
    }

    function assertNothingOnTheWay() private view {
        assertEq(weth.balanceOf(address(landing)), 0, "WETH in the landing");
        assertEq(weth.balanceOf(address(destination)), 0, "WETH in the DestinationReceiver");
        assertEq(weth.allowance(address(landing), address(destination)), 0, "allowance of the landing");
    }

    function nonceOf(bytes memory message) private pure returns (bytes32 nonce) {
        assembly ("memory-safe") {
            nonce := mload(add(message, 44))
        }
    }

    function assertWaits(bytes memory message) private view {
        assertEq(transmitter.usedNonces(nonceOf(message)), 0, "the message is used up");
    }

    function test_mintAndOrderAreOneTransactionOfAnybody() public {
        claim(ours(3 ether, swapMessage(swapOutput(3 ether), 0)));
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
        assertNothingOnTheWay();
    }

    function test_orderRunsWithWhatIsLeftOfTheFee() public {
        bytes memory hook = swapMessage(swapOutput(2.9 ether), 0);
        claim(burnt(address(landing), word(address(landing)), address(weth), 3 ether, 0.1 ether, hook));
        assertEq(usdc.balanceOf(receiver), swapOutput(2.9 ether), "the output");
        assertEq(weth.balanceOf(feeReceiver), 0.1 ether, "the fee");
        assertNothingOnTheWay();
    }

    /// @dev The burn names the landing as the only caller.
    function test_strangerCannotMintPastTheLanding() public {
        bytes memory message = ours(3 ether, swapMessage(1, 0));
        bytes memory attestation = attested(message);
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "Invalid caller for message"));
        transmitter.receiveMessage(message, attestation);
        claim(message);
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
    }

    /// @dev Why it does: with any caller the tokens are minted without their order, and nobody gets them out.
    function test_burnWithoutACallerIsMintedWithoutItsOrder() public {
        bytes memory message = burnt(address(landing), 0, address(weth), 3 ether, 0, swapMessage(1, 0));
        bytes memory attestation = attested(message);
        vm.prank(stranger);
        transmitter.receiveMessage(message, attestation);
        assertEq(weth.balanceOf(address(landing)), 3 ether, "what lies there");
        assertEq(usdc.balanceOf(receiver), 0, "the output");
    }

    function test_forgedAttestationIsRefused() public {
        bytes memory message = ours(3 ether, theft());
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(0xbad, keccak256(message));
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "Invalid signature: not attester"));
        landing.receiveMessage(message, abi.encodePacked(r, s, v));
        bytes memory other = attested(ours(3 ether, swapMessage(1, 0)));
        vm.expectRevert();
        landing.receiveMessage(message, other);
    }

    function test_mintAgainIsRefusedByTheTransmitter() public {
        bytes memory message = ours(3 ether, swapMessage(1, 0));
        claim(message);
        bytes memory attestation = attested(message);
        vm.expectRevert(abi.encodeWithSignature("Error(string)", "Nonce already used"));
        landing.receiveMessage(message, attestation);
    }

    /// @dev What others have sent here is not the claimer's.
    function test_orderMovesWhatItsOwnBurnMinted() public {
        weth.transfer(address(landing), 5 ether);
        bytes memory message = burnt(address(landing), word(address(landing)), address(weth), 1, 0, theft());
        claim(message);
        assertEq(weth.balanceOf(stranger), 1, "what the thief has");
        assertEq(weth.balanceOf(address(landing)), 5 ether, "what lies there");
    }

    function test_twoInFlightMoveEachItsOwnAmount() public {
        bytes memory first = ours(3 ether, swapMessage(swapOutput(3 ether), 0));
        bytes memory second = ours(2 ether, theft());
        claim(second);
        assertEq(weth.balanceOf(stranger), 2 ether, "the second");
        claim(first);
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the first");
        assertNothingOnTheWay();
    }

    /// @dev Anybody sends messages to contracts of his own, which mint for others while they are received.
    function test_messageToAnotherContractIsRefused() public {
        bytes memory strangers = burnt(address(landing), 0, address(weth), 3 ether, 0, "");
        MintingHandler handler = new MintingHandler(transmitter, strangers, attested(strangers));
        bytes memory body = abi.encodePacked(
            uint32(1),
            REMOTE_TOKEN,
            word(address(landing)),
            uint256(1),
            word(user),
            uint256(0),
            uint256(0),
            uint256(0),
            theft()
        );
        bytes memory head = abi.encodePacked(uint32(1), SOURCE, HERE, bytes32(++nonces), word(stranger));
        bytes memory rest = abi.encodePacked(word(address(handler)), word(address(landing)), uint32(2000), uint32(2000));
        bytes memory message = abi.encodePacked(head, rest, body);
        bytes memory attestation = attested(message);
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(NotMessenger.selector, word(address(handler))));
        landing.receiveMessage(message, attestation);
        assertEq(weth.balanceOf(stranger), 0, "what the thief has");
    }

    function test_inventedTransmitterOrMessengerHasALandingOfItsOwn() public {
        bytes memory message = ours(3 ether, theft());
        bytes memory attestation = attested(message);
        CctpMessageTransmitter invented = new CctpMessageTransmitter(HERE, stranger, vm.addr(ATTESTER_KEY));
        CctpLanding own = land(address(invented), address(messenger));
        vm.expectRevert();
        own.receiveMessage(message, attestation);
        own = land(address(transmitter), stranger);
        vm.expectRevert();
        own.receiveMessage(message, attestation);
        assertWaits(message);
    }

    function test_starvedMintWaits() public {
        bytes memory message = ours(3 ether, swapMessage(swapOutput(3 ether), 500_000));
        bytes memory attestation = attested(message);
        for (uint256 given = 100_000; given < 800_000; given += 50_000) {
            try landing.receiveMessage{gas: given}(message, attestation) {
                revert("delivered with too little");
            } catch (bytes memory reason) {
                bool isStarved = reason.length == 0 || bytes4(reason) == InsufficientGas.selector;
                // As a reason in words: the transmitter ran out.
                assertTrue(isStarved || bytes4(reason) == bytes4(0x08c379a0), "failed for another reason");
            }
        }
        assertWaits(message);
        claim(message);
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
    }

    function test_garbageOrderGoesToTheFallback() public {
        bytes memory hook = abi.encodePacked(abi.encode(fallbackReceiver, 0, 0), hex"c0ffee");
        claim(ours(3 ether, hook));
        assertEq(weth.balanceOf(fallbackReceiver), 3 ether, "the fallback receiver's");
        assertNothingOnTheWay();
    }

    function test_outputBelowTheMinimumGoesToTheFallback() public {
        claim(ours(3 ether, swapMessage(swapOutput(3 ether) + 1, 0)));
        assertEq(weth.balanceOf(fallbackReceiver), 3 ether, "the fallback receiver's");
        assertNothingOnTheWay();
    }

    function test_dustWithTheVictimsMessageHarmsNothing() public {
        bytes memory hook = swapMessage(swapOutput(3 ether), 0);
        bytes memory victims = ours(3 ether, hook);
        claim(ours(1, hook));
        assertEq(weth.balanceOf(fallbackReceiver), 1, "the dust");
        claim(victims);
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
    }

    function test_fallbackThatCannotBePaidWaits() public {
        BlockingToken token = new BlockingToken();
        token.mint(address(minter), 10 ether);
        link(address(token));
        token.blockAccount(fallbackReceiver, true);
        bytes memory hook = abi.encodePacked(abi.encode(fallbackReceiver, 0, 0), hex"c0ffee");
        bytes memory message = burnt(address(landing), word(address(landing)), address(token), 3 ether, 0, hook);
        bytes memory attestation = attested(message);
        vm.expectRevert();
        landing.receiveMessage(message, attestation);
        assertWaits(message);
        token.blockAccount(fallbackReceiver, false);
        claim(message);
        assertEq(token.balanceOf(fallbackReceiver), 3 ether, "the fallback receiver's");
    }

    function test_messageThatNamesNobodyToPayReverts() public {
        bytes memory message = ours(3 ether, hex"c0ffee");
        bytes memory attestation = attested(message);
        vm.expectRevert(abi.encodeWithSelector(MalformedMessage.selector, 3));
        landing.receiveMessage(message, attestation);
    }

    function test_mintWithinAnothersOrderIsRefused() public {
        bytes memory victims = ours(3 ether, swapMessage(swapOutput(3 ether), 0));
        bytes memory call = abi.encodeCall(CctpLanding.receiveMessage, (victims, attested(victims)));
        bytes memory steps = Steps.pack(Steps.call(address(landing), call));
        bytes memory hook =
            deliveryMessage(makeOrder(address(weth), 0, address(weth), 0, steps), fallbackReceiver, 0, 0);
        claim(ours(1 ether, hook));
        // It failed as a whole.
        assertEq(weth.balanceOf(fallbackReceiver), 1 ether, "the fallback receiver's");
        assertWaits(victims);
        claim(victims);
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
    }

    function test_tokenThatHasNoPairHereIsRefused() public {
        bytes memory message = burnt(address(landing), word(address(landing)), address(usdc), 1, 0, theft());
        bytes memory attestation = attested(message);
        vm.expectRevert();
        landing.receiveMessage(message, attestation);
    }
}
