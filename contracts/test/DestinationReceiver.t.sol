// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {DestinationReceiver} from "../src/DestinationReceiver.sol";
import {InsufficientGas, InvalidReceiver, NotRunner} from "../src/Errors.sol";
import {Order} from "../src/Types.sol";
import {Base, Steps} from "./Base.sol";
import {GasBurner} from "./mocks/Thieves.sol";
import {HookedToken} from "./mocks/Tokens.sol";

/// @dev Remembers the least gas that it was called with.
contract GasMeter {
    uint256 public least = type(uint256).max;

    fallback() external {
        if (gasleft() < least) least = gasleft();
    }
}

contract DestinationReceiverTest is Base {
    DestinationReceiver private destination = DestinationReceiver(payable(deployShipped("DestinationReceiver")));
    address private fallbackReceiver = address(0xfa11);

    function deliver(Order memory order, uint256 amount) private {
        weth.transfer(address(destination), amount);
        destination.handleV3AcrossMessage(address(weth), amount, address(this), message(order, 0));
    }

    function message(Order memory order, uint256 minimumGas) private view returns (bytes memory) {
        return deliveryMessage(order, fallbackReceiver, minimumGas, 0);
    }

    function test_runsTheOrderWithWhatWasDelivered() public {
        // The stated amount is what left the other chain; a little less arrives.
        bytes memory steps = Steps.pack(poolSwap(receiver));
        deliver(paidBySteps(makeOrder(address(weth), 1 ether, address(usdc), 1, steps)), 0.99 ether);
        assertEq(usdc.balanceOf(receiver), swapOutput(0.99 ether), "the output");
        assertEq(weth.balanceOf(address(destination)), 0, "left behind");
    }

    function test_failedOrderGivesTheTokenToTheFallbackReceiver() public {
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 2 ether, Steps.pack(poolSwap(receiver)));
        deliver(order, 1 ether);
        assertEq(weth.balanceOf(fallbackReceiver), 1 ether, "what came back");
        assertEq(usdc.balanceOf(receiver), 0, "the output");
        deliver(makeOrder(address(weth), 1 ether, address(usdc), 1, hex"ff"), 1 ether);
        assertEq(weth.balanceOf(fallbackReceiver), 2 ether, "what came back");
    }

    function test_orderAfterItsDeadlineGoesToTheFallback() public {
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 1, Steps.pack(poolSwap(receiver)));
        vm.warp(order.deadline + 1);
        deliver(paidBySteps(order), 1 ether);
        assertEq(weth.balanceOf(fallbackReceiver), 1 ether, "what came back");
        assertEq(usdc.balanceOf(receiver), 0, "the output");
    }

    /// @dev What lies in the DestinationReceiver belongs to nobody.
    function test_orderThatPaysTheDestinationReceiverGoesToTheFallback() public {
        bytes memory steps = Steps.pack(poolSwap(address(destination)));
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 1, steps);
        order.receiver = address(destination);
        deliver(paidBySteps(order), 1 ether);
        assertEq(weth.balanceOf(fallbackReceiver), 1 ether, "what came back");
        assertEq(usdc.balanceOf(address(destination)), 0, "left behind");
    }

    function test_orderThatRefundsTheDestinationReceiverGoesToTheFallback() public {
        bytes memory steps = Steps.pack(poolSwap(receiver));
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 1, steps);
        order.refundReceiver = address(destination);
        deliver(paidBySteps(order), 1 ether);
        assertEq(weth.balanceOf(fallbackReceiver), 1 ether, "what came back");
        assertEq(usdc.balanceOf(receiver), 0, "the output");
    }

    function test_anotherInputThanTheDeliveredTokenFails() public {
        deliver(makeOrder(address(usdc), 1 ether, address(usdc), 0, hex"00"), 1 ether);
        assertEq(weth.balanceOf(fallbackReceiver), 1 ether, "what came back");
    }

    function test_starvedDeliveryReverts() public {
        weth.transfer(address(destination), 1 ether);
        Order memory order = makeOrder(address(weth), 1 ether, address(weth), 0, hex"00");
        bytes memory starved = message(order, 1 << 60);
        try destination.handleV3AcrossMessage(address(weth), 1 ether, address(this), starved) {
            revert("the delivery ran");
        } catch (bytes memory reason) {
            assertTrue(bytes4(reason) == InsufficientGas.selector, "refused for another reason");
        }
    }

    /// @dev Whatever gas a relayer sends: a failed order gives the token back, or the whole delivery reverts.
    function test_gasBurnerCannotDefeatTheFallback() public {
        uint256[3] memory sizes = [uint256(0), 100_000, 1_000_000];
        for (uint256 i = 0; i < sizes.length; ++i) {
            GasBurner burner = new GasBurner(sizes[i]);
            Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 1, hex"");
            order.steps = Steps.pack(Steps.call(address(burner), hex"00000000"));
            order.accountId = bytes32(i);
            for (uint256 gas_ = 350_000; gas_ < 3_000_000; gas_ += 250_000) {
                weth.transfer(address(destination), 1 ether);
                uint256 before = weth.balanceOf(fallbackReceiver);
                destination.handleV3AcrossMessage{gas: gas_}(address(weth), 1 ether, address(this), message(order, 0));
                assertEq(weth.balanceOf(fallbackReceiver) - before, 1 ether, "what came back");
            }
        }
    }

    function test_minimumGasReachesTheOrder() public {
        Order memory order = makeOrder(address(weth), 1 ether, address(weth), 0, hex"00");
        GasMeter meter = new GasMeter();
        order.steps = Steps.pack(Steps.call(address(meter), hex"00000000"));
        bytes memory wanted = message(order, 1_000_000);
        for (uint256 gas_ = 1_000_000; gas_ < 1_400_000; gas_ += 10_000) {
            weth.transfer(address(destination), 1 ether);
            // Less than the order was promised is refused before it runs.
            try destination.handleV3AcrossMessage{gas: gas_}(address(weth), 1 ether, address(this), wanted) {
                assertTrue(meter.least() > 750_000, "the order ran with too little gas");
            } catch (bytes memory reason) {
                assertTrue(bytes4(reason) == InsufficientGas.selector, "failed for another reason");
            }
        }
        assertTrue(meter.least() != type(uint256).max, "the order never ran");
    }

    function test_strangerCannotRunADelivery() public {
        DestinationReceiver.Delivery memory delivery;
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(NotRunner.selector, stranger));
        destination.runDelivery(delivery, "");
    }

    function test_deliveryWithoutTokensReverts() public {
        bytes memory nothing = message(makeOrder(address(weth), 1 ether, address(weth), 0, hex"00"), 0);
        vm.expectRevert();
        destination.handleV3AcrossMessage(address(weth), 1 ether, address(this), nothing);
    }

    function test_allowancePlantedByAnotherMessageIsWorthNothing() public {
        HookedToken hook = new HookedToken();
        Order memory plant = makeOrder(address(weth), 0, address(weth), 0, hex"");
        plant.steps = Steps.pack(Steps.approve(address(weth), address(hook), Steps.literal(type(uint256).max)));
        deliver(plant, 0);
        assertEq(weth.allowance(executorOf(plant), address(hook)), type(uint256).max, "planted");

        // Any other message has an Executor of its own, which the hooked token tries to drain mid-route.
        Order memory victim = paidBySteps(makeOrder(address(weth), 1 ether, address(usdc), 1, hex""));
        bytes memory touch = Steps.transfer(address(hook), address(pool), Steps.literal(0));
        victim.steps = Steps.pack(touch, poolSwap(receiver));
        hook.arm(address(weth), abi.encodeCall(IERC20.transferFrom, (executorOf(victim), stranger, 1 ether)));
        deliver(victim, 1 ether);
        assertTrue(hook.called() && !hook.succeeded(), "the planted allowance worked");
        assertEq(usdc.balanceOf(receiver), swapOutput(1 ether), "the victim's output");
    }

    function executorOf(Order memory order) private view returns (address) {
        return
            Clones.predictDeterministicAddress(
                destination.executorImplementation(),
                keccak256(message(order, 0)),
                address(destination)
            );
    }

    function test_messageWithoutAFallbackReceiverReverts() public {
        fallbackReceiver = address(0);
        bytes memory bad = message(makeOrder(address(weth), 0, address(weth), 0, hex"00"), 0);
        vm.expectRevert(abi.encodeWithSelector(InvalidReceiver.selector, address(0)));
        destination.handleV3AcrossMessage(address(weth), 0, address(this), bad);
    }
}
