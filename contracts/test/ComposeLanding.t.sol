// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ComposeLanding} from "../src/ComposeLanding.sol";
import {Input, NATIVE, Order} from "../src/Types.sol";
import {Steps} from "./Base.sol";
import {StargateBase} from "./StargateBase.sol";
import {MockStargatePool} from "./mocks/Bridges.sol";
import {TaxedToken, TetherLike} from "./mocks/Tokens.sol";

/// @dev Takes the ether that a step sends it.
contract Toll {
    uint256 public taken;

    function pay() external payable {
        taken += msg.value;
    }
}

/// @dev What a landing does when nobody means harm.
contract ComposeLandingTest is StargateBase {
    function test_composedOrderRunsWithWhatThePoolPaid() public {
        bytes memory message = stargate.arrive(address(landing), "guid", 3 ether, swapMessage(swapOutput(3 ether)));
        compose("guid", message);
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
        assertComposed("guid");
        assertNothingOnTheWay();
    }

    function test_etherOfANativePoolRunsTheOrder() public {
        bytes memory message = nativeStargate.arrive(address(nativeLanding), "guid", 3 ether, nativeMessage(3 ether));
        composeNative("guid", message, 0);
        assertEq(receiver.balance, 3 ether, "the output");
        assertNothingOnTheWay();
    }

    function test_valueOfTheComposeGoesToTheOrderBesidesTheToken() public {
        Toll toll = new Toll();
        Order memory order = swapOrder(swapOutput(3 ether));
        order.inputs = new Input[](2);
        order.inputs[0].token = address(weth);
        order.inputs[1].token = NATIVE;
        bytes memory pay = Steps.callValue(address(toll), Steps.literal(1 ether), abi.encodeCall(Toll.pay, ()));
        order.steps = Steps.pack(pay, poolSwap(receiver));
        bytes memory composed = deliveryMessage(order, fallbackReceiver, 0, 1 ether);
        bytes memory message = stargate.arrive(address(landing), "guid", 3 ether, composed);
        // Whoever composes may send more than was ordered: what is left over is the user's.
        composeWith("guid", message, gasleft(), 1.5 ether);
        assertEq(toll.taken(), 1 ether, "what the step paid");
        assertEq(refund.balance, 0.5 ether, "what was left");
        assertEq(usdc.balanceOf(receiver), swapOutput(3 ether), "the output");
        assertNothingOnTheWay();
    }

    function test_valueOfANativePoolsComposeGoesWithTheEther() public {
        Order memory order = makeOrder(NATIVE, 0, NATIVE, 3.5 ether, hex"00");
        bytes memory composed = deliveryMessage(order, fallbackReceiver, 0, 0.5 ether);
        bytes memory message = nativeStargate.arrive(address(nativeLanding), "guid", 3 ether, composed);
        composeNative("guid", message, 0.5 ether);
        assertEq(receiver.balance, 3.5 ether, "the output");
    }

    function test_failedOrderGivesTokenAndValueToTheFallbackReceiver() public {
        Order memory order = swapOrder(4 ether);
        order.inputs = new Input[](2);
        order.inputs[0].token = address(weth);
        order.inputs[1].token = NATIVE;
        bytes memory composed = deliveryMessage(order, fallbackReceiver, 0, 0.5 ether);
        bytes memory message = stargate.arrive(address(landing), "guid", 3 ether, composed);
        composeWith("guid", message, gasleft(), 0.5 ether);
        assertEq(weth.balanceOf(fallbackReceiver), 3 ether, "the token");
        assertEq(fallbackReceiver.balance, 0.5 ether, "the value");
        assertNothingOnTheWay();
    }

    function test_valueThatTheOrderDoesNotTakeFailsIt() public {
        // Else it would stay in the message's Executor.
        bytes memory composed = deliveryMessage(swapOrder(1), fallbackReceiver, 0, 0.5 ether);
        bytes memory message = stargate.arrive(address(landing), "guid", 3 ether, composed);
        composeWith("guid", message, gasleft(), 0.5 ether);
        assertEq(weth.balanceOf(fallbackReceiver), 3 ether, "the token");
        assertEq(fallbackReceiver.balance, 0.5 ether, "the value");
    }

    function test_tokenThatReturnsNothingAndWantsZeroFirstIsDelivered() public {
        TetherLike usdt = new TetherLike();
        MockStargatePool tether = new MockStargatePool(endpoint, address(usdt));
        ComposeLanding own = land(address(endpoint), address(tether));
        usdt.mint(address(tether), 10 ether);
        bytes memory composed = deliveryMessage(
            makeOrder(address(usdt), 0, address(usdt), 1, hex"00"),
            fallbackReceiver,
            0,
            0
        );
        for (uint256 i = 1; i < 3; ++i) {
            bytes memory message = tether.arrive(address(own), bytes32(i), 2 ether, composed);
            endpoint.lzCompose(address(tether), address(own), bytes32(i), 0, message, "");
            assertEq(usdt.balanceOf(receiver), i * 2 ether, "the output");
            assertEq(usdt.allowance(address(own), address(destination)), 0, "allowance of the landing");
        }
    }

    function test_landingTakesEtherWithTheGasOfANativePayout() public {
        // Half of what Stargate gives: the stipend alone.
        (bool ok, ) = address(nativeLanding).call{value: 1, gas: 0}("");
        assertTrue(ok, "more than the stipend of 2,300 is needed");
    }

    /// @dev A payment below what the pool says waits for the rest. What the token takes later is the order's own loss.
    function test_taxedTokenWaitsForWhatIsMissingInTheLanding() public {
        TaxedToken taxed = new TaxedToken();
        MockStargatePool taxing = new MockStargatePool(endpoint, address(taxed));
        ComposeLanding own = land(address(endpoint), address(taxing));
        taxed.mint(address(taxing), 10 ether);
        bytes memory composed = deliveryMessage(
            makeOrder(address(taxed), 0, address(taxed), 1, hex"00"),
            fallbackReceiver,
            0,
            0
        );
        bytes memory message = taxing.arrive(address(own), "guid", 1 ether, composed);
        assertEq(taxed.balanceOf(address(own)), 0.99 ether, "what arrived");
        try endpoint.lzCompose(address(taxing), address(own), "guid", 0, message, "") {
            revert("composed with less than the pool says");
        } catch {}
        taxed.mint(address(own), 0.01 ether);
        endpoint.lzCompose(address(taxing), address(own), "guid", 0, message, "");
        // To the Executor and to the receiver it is taxed, too.
        assertEq(taxed.balanceOf(receiver), (1 ether * 99 * 99) / 10_000, "the output");
        assertEq(taxed.balanceOf(fallbackReceiver), 0, "what came back");
    }
}
