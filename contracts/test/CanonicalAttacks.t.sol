// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DestinationReceiver} from "../src/DestinationReceiver.sol";
import {WrongValue} from "../src/Errors.sol";
import {NATIVE, Order} from "../src/Types.sol";
import {Base, Steps} from "./Base.sol";
import {MockL2Messenger} from "./mocks/L2Messenger.sol";

/// @dev Takes ether when it is told to.
contract Moody {
    bool public takes;

    function setTakes(bool takes_) external {
        takes = takes_;
    }

    receive() external payable {
        require(takes, "not today");
    }
}

/**
 * @dev A deposit of the OP stack: its messenger pays and calls in one transaction, and keeps what fails for whoever has it
 * tried again; see docs/explanation/crosschain.md.
 */
contract CanonicalAttacksTest is Base {
    DestinationReceiver private destination = DestinationReceiver(deployShipped("DestinationReceiver"));
    /// The messenger of the other chain, aliased.
    address private other = address(0x0111);
    MockL2Messenger private messenger = new MockL2Messenger(other);
    address private fallbackReceiver = address(0xfa11);
    uint256 private sent;

    function setUp() public override {
        super.setUp();
        vm.deal(other, 1_000 ether);
    }

    /// @dev All of the ether that arrives into the pool, for at least `minimum` USDC.
    function swapMessage(uint256 minimum, uint256 minimumGas) private view returns (bytes memory) {
        bytes memory wrap = Steps.callValue(
            address(weth),
            Steps.balance(NATIVE),
            abi.encodeWithSignature("deposit()")
        );
        bytes memory steps = Steps.pack(wrap, poolSwap(receiver));
        Order memory order = paidBySteps(makeOrder(NATIVE, 0, address(usdc), minimum, steps));
        return deliveryMessage(order, fallbackReceiver, minimumGas, 0);
    }

    /// @dev Whatever lies there or is said to: all of it to the stranger.
    function theft() private view returns (bytes memory) {
        return deliveryMessage(makeOrder(NATIVE, 0, NATIVE, 0, hex"ff"), stranger, 0, 0);
    }

    function deliverCall(uint256 amount, bytes memory message) private pure returns (bytes memory) {
        return abi.encodeCall(DestinationReceiver.deliver, (NATIVE, amount, message));
    }

    function deposit(uint256 amount, bytes memory message) private returns (MockL2Messenger.Message memory) {
        bytes memory call = deliverCall(amount, message);
        return MockL2Messenger.Message(++sent, user, address(destination), amount, 400_000, call);
    }

    /// @dev As the transaction of the deposit does it.
    function include(MockL2Messenger.Message memory message) private {
        includeWith(message, 3_000_000);
    }

    function includeWith(MockL2Messenger.Message memory message, uint256 gas_) private {
        vm.prank(other);
        messenger.relayMessage{value: message.value, gas: gas_}(message);
    }

    function hashOf(MockL2Messenger.Message memory message) private pure returns (bytes32) {
        return keccak256(abi.encode(message));
    }

    function assertWaits(MockL2Messenger.Message memory message) private view {
        bytes32 hash = hashOf(message);
        bool waits = messenger.failedMessages(hash) && !messenger.successfulMessages(hash);
        assertTrue(waits, "the message does not wait");
    }

    function test_relayedOrderRunsAndLeavesNothing() public {
        include(deposit(3 ether, swapMessage(swapOutput(3 ether), 0)));
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
        assertEq(address(destination).balance, 0, "left behind");
        assertEq(address(messenger).balance, 0, "left at the messenger");
    }

    function test_deliveryWithoutTheEtherReverts() public {
        vm.deal(stranger, 1 ether);
        vm.deal(address(destination), 5 ether);
        vm.startPrank(stranger);
        vm.expectRevert(abi.encodeWithSelector(WrongValue.selector, 5 ether, 0));
        destination.deliver(NATIVE, 5 ether, theft());
        vm.expectRevert(abi.encodeWithSelector(WrongValue.selector, 5 ether, 1 ether));
        destination.deliver{value: 1 ether}(NATIVE, 5 ether, theft());
    }

    function test_callThatSaysMoreThanWasDepositedWaits() public {
        vm.deal(address(destination), 5 ether);
        MockL2Messenger.Message memory lying = deposit(1 ether, theft());
        lying.data = deliverCall(6 ether, theft());
        include(lying);
        assertWaits(lying);
        assertEq(stranger.balance, 0, "taken");
    }

    function test_strangerCannotRelayWhatWasNotDeposited() public {
        include(deposit(3 ether, swapMessage(1, 3_000_000)));
        MockL2Messenger.Message memory invented = deposit(3 ether, theft());
        vm.prank(stranger);
        vm.expectRevert(MockL2Messenger.NotRelayable.selector);
        messenger.relayMessage(invented);
        assertEq(address(messenger).balance, 3 ether, "what waits for another");
    }

    function test_relayAgainIsRefusedByTheMessenger() public {
        MockL2Messenger.Message memory once = deposit(3 ether, swapMessage(1, 0));
        include(once);
        vm.expectRevert(MockL2Messenger.NotRelayable.selector);
        messenger.relayMessage(once);
        vm.prank(other);
        vm.expectRevert(MockL2Messenger.AlreadyRelayed.selector);
        messenger.relayMessage{value: 3 ether}(once);
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
    }

    /// @dev Whatever gas a deposit was bought, and whatever gas others try it again with: with enough, or not at all.
    function test_starvedRelayWaits() public {
        // Less than the order needs was bought, so that its transaction cannot do it.
        MockL2Messenger.Message memory starved = deposit(3 ether, swapMessage(swapOutput(3 ether), 500_000));
        starved.minGasLimit = 100_000;
        includeWith(starved, 400_000);
        assertWaits(starved);
        uint256 tries = 0;
        for (uint256 gas_ = 60_000; usdc.balanceOf(receiver) == 0; gas_ += 20_000) {
            vm.prank(stranger);
            try messenger.relayMessage{gas: gas_}(starved) {} catch {}
            ++tries;
            assertEq(fallbackReceiver.balance, 0, "starved into the fallback");
        }
        assertTrue(tries > 20, "less gas than the order needs was not tried");
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
        assertEq(address(messenger).balance, 0, "left at the messenger");
    }

    function test_dustWithTheVictimsMessageHarmsNothing() public {
        bytes memory victims = swapMessage(swapOutput(3 ether), 0);
        include(deposit(1, victims));
        assertEq(fallbackReceiver.balance, 1, "the dust, which is the victim's");
        include(deposit(3 ether, victims));
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
        include(deposit(3 ether, victims));
        assertEq(usdc.balanceOf(receiver), 2 * swapOutput(3 ether), "of the same message again");
    }

    function test_garbageOrderGoesToTheFallback() public {
        bytes memory head = abi.encode(fallbackReceiver, uint256(0), uint256(0));
        include(deposit(1 ether, abi.encodePacked(head, hex"ff")));
        include(deposit(1 ether, head));
        assertEq(fallbackReceiver.balance, 2 ether, "what came back");
    }

    function test_outputBelowTheMinimumGoesToTheFallback() public {
        include(deposit(3 ether, swapMessage(swapOutput(3 ether) + 1, 0)));
        assertEq(fallbackReceiver.balance, 3 ether, "what came back");
        assertEq(usdc.balanceOf(receiver), 0, "the output");
    }

    function test_fallbackThatTakesNoEtherWaits() public {
        Moody moody = new Moody();
        Order memory order = makeOrder(NATIVE, 0, address(usdc), 1, hex"00");
        MockL2Messenger.Message memory unpayable = deposit(3 ether, deliveryMessage(order, address(moody), 0, 0));
        include(unpayable);
        assertWaits(unpayable);
        assertEq(address(messenger).balance, 3 ether, "what waits");
        moody.setTakes(true);
        vm.prank(stranger);
        messenger.relayMessage(unpayable);
        assertEq(address(moody).balance, 3 ether, "what came back");
        vm.expectRevert(MockL2Messenger.AlreadyRelayed.selector);
        messenger.relayMessage(unpayable);
    }

    /// @dev An order may make any call: it has another's message relayed in its middle.
    function test_relayWithinAnothersOrderIsRefused() public {
        MockL2Messenger.Message memory victims = deposit(5 ether, swapMessage(1, 500_000));
        victims.minGasLimit = 100_000;
        includeWith(victims, 400_000);
        assertWaits(victims);
        Order memory order = makeOrder(NATIVE, 0, NATIVE, 0, hex"00");
        order.steps = Steps.pack(
            Steps.call(address(messenger), abi.encodeCall(MockL2Messenger.relayMessage, (victims)))
        );
        bytes memory hostile = deliveryMessage(order, stranger, 0, 0);
        include(deposit(1 ether, hostile));
        assertWaits(victims);
        destination.deliver{value: 1 ether}(NATIVE, 1 ether, hostile);
        assertWaits(victims);
        assertEq(usdc.balanceOf(receiver), 0, "run within another's order");
        messenger.relayMessage(victims);
        assertEq(usdc.balanceOf(receiver), swapOutput(5 ether), "the output");
    }
}
