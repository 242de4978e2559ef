// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {ComposeLanding} from "../src/ComposeLanding.sol";
import {DestinationReceiver} from "../src/DestinationReceiver.sol";
import {InsufficientValue, NotEndpoint, NotPool} from "../src/Errors.sol";
import {Input, NATIVE, Order} from "../src/Types.sol";
import {Steps} from "./Base.sol";
import {StargateBase} from "./StargateBase.sol";
import {MockEndpoint, MockStargatePool} from "./mocks/Bridges.sol";
import {BlockingToken, HookedToken} from "./mocks/Tokens.sol";

/// @dev The endpoint composes what a pool has paid, whenever anybody asks; see docs/explanation/crosschain.md.
contract StargateAttacksTest is StargateBase {
    /// @dev Whatever lies at an address without a pool's guard: everything to the stranger.
    function theft() private view returns (bytes memory) {
        return deliveryMessage(makeOrder(address(weth), 0, address(weth), 0, hex"ff"), stranger, 0, 0);
    }

    function oft(uint256 amount, bytes memory composed) private view returns (bytes memory) {
        return stargate.oftMessage(amount, composed);
    }

    function paidByStargate(address to) private returns (bytes memory) {
        return stargate.arrive(to, "victim", 4.9995 ether, swapMessage(1));
    }

    /// @dev Why there are landings: between payment and compose anybody may say what lies here is for.
    function test_paymentToTheDestinationReceiverItselfIsRobbed() public {
        paidByStargate(address(destination));
        vm.prank(stranger);
        destination.handleV3AcrossMessage(address(weth), 4.9995 ether, stranger, theft());
        assertEq(weth.balanceOf(stranger), 4.9995 ether, "what the thief has");
    }

    function test_paymentToALandingIsOutOfReachUntilItIsComposed() public {
        bytes memory message = paidByStargate(address(landing));
        vm.startPrank(stranger);
        try destination.handleV3AcrossMessage(address(weth), 4.9995 ether, stranger, theft()) {
            revert("delivered as if by Across");
        } catch {}
        try destination.deliver(address(weth), 4.9995 ether, theft()) {
            revert("delivered without tokens");
        } catch {}
        try destination.deliver(NATIVE, 4.9995 ether, theft()) {
            revert("delivered without ether");
        } catch {}
        vm.stopPrank();
        compose("victim", message);
        assertEq(usdc.balanceOf(receiver), swapOutput(4.9995 ether), "the output");
        assertEq(weth.balanceOf(stranger), 0, "what the thief has");
    }

    function test_strangerCannotComposeAtALanding() public {
        paidByStargate(address(landing));
        bytes memory message = oft(4.9995 ether, theft());
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(NotEndpoint.selector, stranger));
        landing.lzCompose(address(stargate), "x", message, stranger, "");
    }

    /// @dev Anybody may queue a message at the endpoint, in its own name, and say that its token is WETH.
    function test_lyingPoolCannotComposeAtALanding() public {
        paidByStargate(address(landing));
        MockStargatePool liar = new MockStargatePool(endpoint, address(weth));
        bytes memory message = liar.arriveShort(address(landing), "lie", 4.9 ether, 0, theft());
        vm.expectRevert(abi.encodeWithSelector(NotPool.selector, address(liar)));
        endpoint.lzCompose(address(liar), address(landing), "lie", 0, message, "");
    }

    function test_inventedEndpointOrPoolHasALandingOfItsOwn() public {
        bytes memory victims = paidByStargate(address(landing));
        MockEndpoint invented = new MockEndpoint();
        ComposeLanding own = land(address(invented), address(stargate));
        bytes memory message = oft(4.9995 ether, theft());
        vm.prank(address(stargate));
        invented.sendCompose(address(own), "x", 0, message);
        try invented.lzCompose(address(stargate), address(own), "x", 0, message, "") {
            revert("composed with an endpoint of one's own");
        } catch {}

        MockStargatePool liar = new MockStargatePool(endpoint, address(weth));
        own = land(address(endpoint), address(liar));
        message = liar.arriveShort(address(own), "x", 4.9995 ether, 0, theft());
        try endpoint.lzCompose(address(liar), address(own), "x", 0, message, "") {
            revert("composed with a pool of one's own");
        } catch {}
        compose("victim", victims);
        assertEq(usdc.balanceOf(receiver), swapOutput(4.9995 ether), "the output");
    }

    function test_composeWithoutTokensReverts() public {
        bytes memory message = stargate.arriveShort(address(landing), "guid", 1 ether, 0, swapMessage(0));
        try endpoint.lzCompose(address(stargate), address(landing), "guid", 0, message, "") {
            revert("composed without tokens");
        } catch {}
        assertWaits("guid", message);
        message = nativeStargate.arriveShort(address(nativeLanding), "guid", 1 ether, 0, nativeMessage(0));
        try endpoint.lzCompose(address(nativeStargate), address(nativeLanding), "guid", 0, message, "") {
            revert("composed without ether");
        } catch {}
    }

    /// @dev Gifts and what other bridges left here are not the caller's.
    function test_deliveryTakesItsTokensFromItsCaller() public {
        weth.transfer(address(destination), 1 ether);
        vm.deal(address(destination), 1 ether);
        vm.startPrank(stranger);
        try destination.deliver(address(weth), 1 ether, theft()) {
            revert("delivered with tokens of nobody");
        } catch {}
        try destination.deliver(NATIVE, 1 ether, theft()) {
            revert("delivered with ether of nobody");
        } catch {}
    }

    function test_twoInFlightMoveEachItsOwnAmount() public {
        bytes memory first = stargate.arrive(address(landing), "first", 3 ether, swapMessage(1));
        bytes memory second = stargate.arrive(address(landing), "second", 5 ether, swapMessage(2));
        compose("second", second);
        assertEq(usdc.balanceOf(receiver), swapOutput(5 ether), "the output of the second");
        assertEq(weth.balanceOf(address(landing)), 3 ether, "what lies there for the first");
        compose("first", first);
        assertEq(usdc.balanceOf(receiver), swapOutput(5 ether) + swapOutput(3 ether), "both outputs");
        assertNothingOnTheWay();
    }

    function test_twoInFlightOfEtherMoveEachItsOwnAmount() public {
        bytes memory first = nativeStargate.arrive(address(nativeLanding), "first", 3 ether, nativeMessage(1));
        bytes memory second = nativeStargate.arrive(address(nativeLanding), "second", 5 ether, nativeMessage(2));
        composeNative("second", second, 0.25 ether);
        assertEq(receiver.balance, 5.25 ether, "the output of the second, with the value");
        assertEq(address(nativeLanding).balance, 3 ether, "what lies there for the first");
        composeNative("first", first, 0);
        assertEq(receiver.balance, 8.25 ether, "both outputs");
    }

    /// @dev A failing order leaves alone what lies there for others, too.
    function test_failedOrderMovesOnlyItsOwnAmount() public {
        bytes memory failing = stargate.arrive(address(landing), "failing", 3 ether, swapMessage(4 ether));
        bytes memory other = stargate.arrive(address(landing), "other", 5 ether, swapMessage(1));
        compose("failing", failing);
        assertEq(weth.balanceOf(fallbackReceiver), 3 ether, "what came back");
        assertEq(weth.balanceOf(address(landing)), 5 ether, "what lies there for the other");
        compose("other", other);
        assertNothingOnTheWay();
    }

    function test_composeAgainIsRefusedByTheEndpoint() public {
        bytes memory first = stargate.arrive(address(landing), "first", 3 ether, swapMessage(1));
        stargate.arrive(address(landing), "second", 3 ether, swapMessage(1));
        compose("first", first);
        vm.expectRevert(
            abi.encodeWithSelector(MockEndpoint.ComposeNotFound.selector, COMPOSED, keccak256(first))
        );
        endpoint.lzCompose(address(stargate), address(landing), "first", 0, first, "");
        assertEq(weth.balanceOf(address(landing)), 3 ether, "what lies there for the second");
    }

    /// @dev Whatever gas a stranger composes with, the order runs with enough or the message waits.
    function test_starvedComposeWaits() public {
        bytes memory composed = deliveryMessage(swapOrder(1), fallbackReceiver, 400_000, 0);
        bytes memory message = stargate.arrive(address(landing), "guid", 3 ether, composed);
        uint256 refused = 0;
        for (uint256 gas_ = 60_000; queued("guid") != COMPOSED; gas_ += 20_000) {
            try this.composeFor("guid", message, gas_) {} catch (bytes memory reason) {
                ++refused;
                assertStarved(reason);
                assertWaits("guid", message);
            }
            assertEq(weth.balanceOf(fallbackReceiver), 0, "starved into the fallback");
        }
        assertTrue(refused > 20, "less gas than the order needs was not tried");
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
    }

    function composeFor(bytes32 guid, bytes calldata message, uint256 gas_) external {
        composeWith(guid, message, gas_, 0);
    }

    function test_dustWithTheVictimsMessageHarmsNothing() public {
        bytes memory victims = deliveryMessage(swapOrder(swapOutput(3 ether)), fallbackReceiver, 0, 0);
        bytes memory message = stargate.arrive(address(landing), "real", 3 ether, victims);
        bytes memory dust = stargate.arrive(address(landing), "dust", 1, victims);
        compose("dust", dust);
        weth.approve(address(destination), 1);
        destination.deliver(address(weth), 1, victims);
        weth.transfer(address(destination), 1);
        destination.handleV3AcrossMessage(address(weth), 1, address(this), victims);
        assertEq(weth.balanceOf(fallbackReceiver), 3, "the dust, which is the victim's");
        compose("real", message);
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
        // The same message is good for the next transfer as well.
        message = stargate.arrive(address(landing), "again", 3 ether, victims);
        compose("again", message);
        assertEq(usdc.balanceOf(receiver), 2 * swapOutput(3 ether), "both outputs");
    }

    function test_garbageOrderGoesToTheFallback() public {
        bytes memory head = abi.encode(fallbackReceiver, uint256(0), uint256(0));
        bytes[5] memory orders = [
            bytes(""),
            hex"ff",
            abi.encode(uint256(32), type(uint256).max),
            abi.encode(type(uint256).max),
            abi.encode(uint256(32), uint256(32), uint256(1 << 63), uint256(1 << 31))
        ];
        for (uint256 i = 0; i < orders.length; ++i) {
            bytes memory message = stargate.arrive(
                address(landing),
                bytes32(i),
                1 ether,
                abi.encodePacked(head, orders[i])
            );
            compose(bytes32(i), message);
            assertEq(weth.balanceOf(fallbackReceiver), (i + 1) * 1 ether, "what came back");
        }
        assertNothingOnTheWay();
    }

    function test_outputBelowTheMinimumGoesToTheFallback() public {
        bytes memory composed = swapMessage(swapOutput(3 ether) + 1);
        compose("guid", stargate.arrive(address(landing), "guid", 3 ether, composed));
        assertEq(weth.balanceOf(fallbackReceiver), 3 ether, "what came back");
        assertEq(usdc.balanceOf(receiver), 0, "the output");
        composed = nativeMessage(3 ether + 1);
        composeNative("guid", nativeStargate.arrive(address(nativeLanding), "guid", 3 ether, composed), 0);
        assertEq(fallbackReceiver.balance, 3 ether, "what came back");
        assertNothingOnTheWay();
    }

    function test_fallbackThatCannotBePaidWaits() public {
        BlockingToken listed = new BlockingToken();
        MockStargatePool paying = new MockStargatePool(endpoint, address(listed));
        ComposeLanding to = land(address(endpoint), address(paying));
        listed.mint(address(paying), 10 ether);
        Order memory order = makeOrder(address(listed), 0, address(usdc), 1, hex"00");
        bytes memory message = paying.arrive(
            address(to),
            "guid",
            3 ether,
            deliveryMessage(order, fallbackReceiver, 0, 0)
        );
        listed.blockAccount(fallbackReceiver, true);
        try endpoint.lzCompose(address(paying), address(to), "guid", 0, message, "") {
            revert("composed without paying the fallback");
        } catch {}
        assertEq(listed.balanceOf(address(to)), 3 ether, "what waits");
        listed.blockAccount(fallbackReceiver, false);
        endpoint.lzCompose(address(paying), address(to), "guid", 0, message, "");
        assertEq(listed.balanceOf(fallbackReceiver), 3 ether, "what came back");
    }

    function test_fallbackThatTakesNoEtherWaits() public {
        fallbackReceiver = address(usdc);
        bytes memory message = nativeStargate.arrive(address(nativeLanding), "guid", 3 ether, nativeMessage(4 ether));
        try endpoint.lzCompose(address(nativeStargate), address(nativeLanding), "guid", 0, message, "") {
            revert("composed without paying the fallback");
        } catch {}
        assertEq(address(nativeLanding).balance, 3 ether, "what waits");
    }

    function test_composeWithLessValueThanOrderedWaits() public {
        Order memory order = swapOrder(1);
        order.inputs = new Input[](2);
        order.inputs[0].token = address(weth);
        order.inputs[1].token = NATIVE;
        bytes memory composed = deliveryMessage(order, fallbackReceiver, 0, 1 ether);
        bytes memory message = stargate.arrive(address(landing), "guid", 3 ether, composed);
        vm.expectRevert(abi.encodeWithSelector(InsufficientValue.selector, 1 ether, 1 ether - 1));
        endpoint.lzCompose{value: 1 ether - 1}(address(stargate), address(landing), "guid", 0, message, "");
        assertWaits("guid", message);
        composeWith("guid", message, gasleft(), 1 ether);
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
        assertEq(refund.balance, 1 ether, "what was left of the value");
    }

    /// @dev Of a native pool the amount does not count as the value, nor the other way round.
    function test_valueOfANativePoolIsWhatComesBesidesTheAmount() public {
        bytes memory composed = deliveryMessage(makeOrder(NATIVE, 0, NATIVE, 1, hex"00"), fallbackReceiver, 0, 1 ether);
        bytes memory message = nativeStargate.arrive(address(nativeLanding), "guid", 3 ether, composed);
        vm.expectRevert(abi.encodeWithSelector(InsufficientValue.selector, 1 ether, 0));
        endpoint.lzCompose(address(nativeStargate), address(nativeLanding), "guid", 0, message, "");
    }

    /// @dev An order may make any call: it composes another's message in its middle.
    function test_composeWithinAnothersOrderIsRefused() public {
        bytes memory victims = stargate.arrive(address(landing), "victim", 5 ether, swapMessage(1));
        Order memory order = swapOrder(0);
        order.steps = Steps.pack(
            Steps.call(
                address(endpoint),
                abi.encodeCall(
                    MockEndpoint.lzCompose,
                    (address(stargate), address(landing), "victim", 0, victims, "")
                )
            )
        );
        bytes memory hostile = deliveryMessage(order, stranger, 0, 0);
        compose("hostile", stargate.arrive(address(landing), "hostile", 1 ether, hostile));
        assertWaits("victim", victims);
        assertEq(weth.balanceOf(stranger), 1 ether, "the fallback of the hostile order");
        compose("victim", victims);
        assertEq(usdc.balanceOf(receiver), swapOutput(5 ether), "the output");
    }

    /// @dev A landing holds others' tokens while an order runs; neither steps nor a hooked token get at them.
    function test_orderCannotReachWhatLiesInTheLanding() public {
        stargate.arrive(address(landing), "victim", 5 ether, swapMessage(1));
        bytes memory take = abi.encodeCall(IERC20.transferFrom, (address(landing), stranger, 5 ether));
        bytes memory compose_ = abi.encodeCall(
            ComposeLanding.lzCompose,
            (address(stargate), "x", oft(5 ether, theft()), stranger, "")
        );
        bytes memory deliver = abi.encodeCall(destination.deliver, (address(weth), 5 ether, theft()));
        bytes memory run = abi.encodeCall(destination.runDelivery, (delivery(address(landing)), theft()));
        bytes[4] memory calls = [take, compose_, deliver, run];
        address[4] memory targets = [address(weth), address(landing), address(destination), address(destination)];
        HookedToken hook = new HookedToken();
        for (uint256 i = 0; i < calls.length; ++i) {
            Order memory order = swapOrder(1);
            order.accountId = bytes32(i);
            bytes memory touch = Steps.transfer(address(hook), address(pool), Steps.literal(0));
            order.steps = Steps.pack(touch, poolSwap(receiver));
            hook.arm(targets[i], calls[i]);
            bytes memory hostile = deliveryMessage(order, stranger, 0, 0);
            compose(bytes32(i), stargate.arrive(address(landing), bytes32(i), 1 ether, hostile));
            assertTrue(hook.called() && !hook.succeeded(), "the call in the middle worked");
            order.steps = Steps.pack(Steps.call(targets[i], calls[i]));
            hostile = deliveryMessage(order, stranger, 0, 0);
            compose(bytes32(i + 10), stargate.arrive(address(landing), bytes32(i + 10), 1 ether, hostile));
            assertEq(weth.balanceOf(stranger), (i + 1) * 1 ether, "the fallback of the hostile order");
        }
        assertEq(weth.balanceOf(address(landing)), 5 ether, "what lies there for the victim");
    }

    function delivery(address from) private view returns (DestinationReceiver.Delivery memory given) {
        (given.token, given.amount, given.payer, given.fallbackReceiver) = (address(weth), 5 ether, from, stranger);
    }

    /// @dev An allowance planted in an Executor by one message is not that of another's.
    function test_allowancePlantedByAnotherComposeIsWorthNothing() public {
        HookedToken hook = new HookedToken();
        Order memory plant = makeOrder(address(weth), 0, address(weth), 0, hex"");
        plant.steps = Steps.pack(Steps.approve(address(weth), address(hook), Steps.literal(type(uint256).max)));
        bytes memory planting = deliveryMessage(plant, stranger, 0, 0);
        compose("plant", stargate.arrive(address(landing), "plant", 1, planting));
        assertEq(weth.allowance(executorOf(planting), address(hook)), type(uint256).max, "planted");

        Order memory victim = swapOrder(1);
        bytes memory touch = Steps.transfer(address(hook), address(pool), Steps.literal(0));
        victim.steps = Steps.pack(touch, poolSwap(receiver));
        bytes memory composed = deliveryMessage(victim, fallbackReceiver, 0, 0);
        hook.arm(address(weth), abi.encodeCall(IERC20.transferFrom, (executorOf(composed), stranger, 1 ether)));
        compose("victim", stargate.arrive(address(landing), "victim", 1 ether, composed));
        assertTrue(hook.called() && !hook.succeeded(), "the planted allowance worked");
        assertEq(usdc.balanceOf(receiver), swapOutput(1 ether), "the victim's output");
    }

    function executorOf(bytes memory composed) private view returns (address) {
        address implementation = destination.executorImplementation();
        return Clones.predictDeterministicAddress(implementation, keccak256(composed), address(destination));
    }
}
