// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DestinationReceiver} from "../src/DestinationReceiver.sol";
import {InsufficientGas} from "../src/Errors.sol";
import {NATIVE, Order} from "../src/Types.sol";
import {Base, Steps} from "./Base.sol";
import {MockSpokePool} from "./mocks/Bridges.sol";
import {BlockingToken} from "./mocks/Tokens.sol";

/// @dev Across pays and calls in one transaction of whichever relayer comes first; see docs/explanation/crosschain.md.
contract AcrossAttacksTest is Base {
    DestinationReceiver private destination = DestinationReceiver(deployShipped("DestinationReceiver"));
    MockSpokePool private spokePool = new MockSpokePool();
    address private fallbackReceiver = address(0xfa11);
    uint256 private deposits;

    function setUp() public override {
        super.setUp();
        weth.approve(address(spokePool), type(uint256).max);
    }

    function relay(uint256 amount, bytes memory message) private returns (MockSpokePool.Relay memory) {
        return relayOf(address(weth), amount, message);
    }

    function relayOf(address token, uint256 amount, bytes memory message) private returns (MockSpokePool.Relay memory) {
        return MockSpokePool.Relay(address(destination), token, amount, ++deposits, message);
    }

    function swapOrder(uint256 minimum) private view returns (Order memory) {
        return paidBySteps(makeOrder(address(weth), 0, address(usdc), minimum, Steps.pack(poolSwap(receiver))));
    }

    function swapMessage(uint256 minimum, uint256 minimumGas) private view returns (bytes memory) {
        return deliveryMessage(swapOrder(minimum), fallbackReceiver, minimumGas, 0);
    }

    /// @dev Whatever lies there or is said to: all of it to the stranger.
    function theft(address token) private view returns (bytes memory) {
        return deliveryMessage(makeOrder(token, 0, token, 0, hex"ff"), stranger, 0, 0);
    }

    function test_fillRunsTheOrderAndLeavesNothing() public {
        spokePool.fillRelay(relay(3 ether, swapMessage(swapOutput(3 ether), 0)));
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
        vm.prank(stranger);
        try destination.handleV3AcrossMessage(address(weth), 1, stranger, theft(address(weth))) {
            revert("something was left");
        } catch {}
    }

    function test_deliveryWithoutTokensOrEtherReverts() public {
        vm.startPrank(stranger);
        try destination.handleV3AcrossMessage(address(weth), 1 ether, stranger, theft(address(weth))) {
            revert("delivered without tokens");
        } catch {}
        try destination.handleV3AcrossMessage(NATIVE, 1 ether, stranger, theft(NATIVE)) {
            revert("delivered without ether");
        } catch {}
    }

    function test_fillAgainIsRefusedByTheSpokePool() public {
        MockSpokePool.Relay memory once = relay(3 ether, swapMessage(1, 0));
        spokePool.fillRelay(once);
        vm.expectRevert(MockSpokePool.RelayFilled.selector);
        spokePool.fillRelay(once);
    }

    /// @dev Whatever gas the relayer fills with, the order runs with enough or the fill reverts.
    function test_starvedFillReverts() public {
        MockSpokePool.Relay memory wanted = relay(3 ether, swapMessage(1, 400_000));
        uint256 refused = 0;
        for (uint256 gas_ = 60_000; usdc.balanceOf(receiver) == 0; gas_ += 20_000) {
            try spokePool.fillRelay{gas: gas_}(wanted) {} catch (bytes memory reason) {
                ++refused;
                // Too little even to say so, or said.
                bool isStarved = reason.length == 0 || bytes4(reason) == InsufficientGas.selector;
                assertTrue(isStarved, "failed for another reason");
            }
            assertEq(weth.balanceOf(fallbackReceiver), 0, "starved into the fallback");
        }
        assertTrue(refused > 20, "less gas than the order needs was not tried");
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
    }

    function test_dustWithTheVictimsMessageHarmsNothing() public {
        bytes memory victims = swapMessage(swapOutput(3 ether), 0);
        spokePool.fillRelay(relay(1, victims));
        assertEq(weth.balanceOf(fallbackReceiver), 1, "the dust, which is the victim's");
        spokePool.fillRelay(relay(3 ether, victims));
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
        spokePool.fillRelay(relay(3 ether, victims));
        assertEq(usdc.balanceOf(receiver), 2 * swapOutput(3 ether), "of the same message again");
    }

    function test_garbageOrderGoesToTheFallback() public {
        bytes memory head = abi.encode(fallbackReceiver, uint256(0), uint256(0));
        spokePool.fillRelay(relay(1 ether, abi.encodePacked(head, hex"ff")));
        spokePool.fillRelay(relay(1 ether, head));
        spokePool.fillRelay(relay(1 ether, abi.encodePacked(head, type(uint256).max, type(uint256).max)));
        assertEq(weth.balanceOf(fallbackReceiver), 3 ether, "what came back");
    }

    function test_outputBelowTheMinimumGoesToTheFallback() public {
        spokePool.fillRelay(relay(3 ether, swapMessage(swapOutput(3 ether) + 1, 0)));
        assertEq(weth.balanceOf(fallbackReceiver), 3 ether, "what came back");
        assertEq(usdc.balanceOf(receiver), 0, "the output");
    }

    function test_fallbackThatCannotBePaidRevertsTheFill() public {
        BlockingToken listed = new BlockingToken();
        listed.mint(address(this), 10 ether);
        listed.approve(address(spokePool), type(uint256).max);
        Order memory order = makeOrder(address(listed), 0, address(usdc), 1, hex"00");
        bytes memory message = deliveryMessage(order, fallbackReceiver, 0, 0);
        MockSpokePool.Relay memory unpayable = relayOf(address(listed), 3 ether, message);
        listed.blockAccount(fallbackReceiver, true);
        try spokePool.fillRelay(unpayable) {
            revert("filled without paying the fallback");
        } catch {}
        listed.blockAccount(fallbackReceiver, false);
        spokePool.fillRelay(unpayable);
        assertEq(listed.balanceOf(fallbackReceiver), 3 ether, "what came back");
    }

    /// @dev An order may make any call: it fills another's deposit in its middle.
    function test_fillWithinAnothersOrderIsRefused() public {
        MockSpokePool.Relay memory victims = relay(5 ether, swapMessage(1, 0));
        Order memory order = swapOrder(0);
        order.steps = Steps.pack(
            Steps.approve(address(weth), address(spokePool), Steps.literal(5 ether)),
            Steps.call(address(spokePool), abi.encodeCall(MockSpokePool.fillRelay, (victims)))
        );
        spokePool.fillRelay(relay(5 ether, deliveryMessage(order, stranger, 0, 0)));
        assertEq(weth.balanceOf(stranger), 5 ether, "the fallback of the hostile order");
        spokePool.fillRelay(victims);
        assertEq(usdc.balanceOf(receiver), swapOutput(5 ether), "the output");
    }

    /// @dev The message says more than the bridge hands over: nobody can be paid with it.
    function test_messageWithoutAWholeHeadReverts() public {
        bytes[2] memory heads = [bytes("short"), abi.encode(fallbackReceiver, uint256(0))];
        for (uint256 i = 0; i < heads.length; ++i) {
            MockSpokePool.Relay memory headless = relay(1 ether, heads[i]);
            try spokePool.fillRelay(headless) {
                revert("filled without a fallback");
            } catch {}
        }
        MockSpokePool.Relay memory own = relay(1 ether, abi.encode(address(destination), uint256(0), uint256(0)));
        try spokePool.fillRelay(own) {
            revert("the DestinationReceiver as its own fallback");
        } catch {}
    }
}
