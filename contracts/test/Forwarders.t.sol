// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {InsufficientOutput} from "../src/Errors.sol";
import {NATIVE, Order, Routed} from "../src/Types.sol";
import {Base, Steps} from "./Base.sol";
import {Forwarder} from "./mocks/Thieves.sol";
import {HookedToken} from "./mocks/Tokens.sol";

/// @dev A contract that sends the orders of many users has one Executor for all of them.
contract ForwardersTest is Base {
    Forwarder private forwarder = new Forwarder();
    HookedToken private hook = new HookedToken();

    /// @dev A forwarder with WETH, in whose Executor one user has left allowances for the hooked token.
    function plantAllowances(Forwarder through) private {
        weth.transfer(address(through), 10 ether);
        through.approve(weth, address(router));
        bytes memory steps = Steps.pack(
            Steps.approve(address(weth), address(hook), Steps.literal(type(uint256).max)),
            Steps.approve(address(usdc), address(hook), Steps.literal(type(uint256).max))
        );
        vm.prank(stranger);
        through.forward(router, makeOrder(NATIVE, 0, NATIVE, 0, steps));
    }

    /// @dev Another user's order through the forwarder: swaps 1 of 2 WETH, then touches the hooked token.
    function victimsOrder(Forwarder through) private returns (Order memory) {
        address executor = router.executorOf(address(through));
        hook.mint(executor, 1);
        bytes memory swap = Steps.callPaid(
            address(pool),
            address(weth),
            swapData(executor, 0),
            swapPatch(Steps.literal(1 ether))
        );
        bytes memory touch = Steps.transfer(address(hook), address(pool), Steps.balance(address(hook)));
        bytes memory steps = Steps.pack(swap, touch);
        return makeOrder(address(weth), 2 ether, address(usdc), swapOutput(1 ether), steps);
    }

    function armFor(IERC20 token, Forwarder through, uint256 amount) private {
        address executor = router.executorOf(address(through));
        hook.arm(address(token), abi.encodeCall(IERC20.transferFrom, (executor, stranger, amount)));
    }

    function test_allowancePlantedThroughAForwarderTakesNoOutput() public {
        plantAllowances(forwarder);
        Order memory order = victimsOrder(forwarder);
        armFor(usdc, forwarder, 1);
        uint256 output = swapOutput(1 ether);
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(InsufficientOutput.selector, address(usdc), output, output - 1));
        forwarder.forward(router, order);
    }

    /// @dev A condition of use: what is left over has no minimum.
    function test_allowancePlantedThroughAForwarderTakesALeftover() public {
        plantAllowances(forwarder);
        Order memory order = victimsOrder(forwarder);
        armFor(weth, forwarder, 1 ether);
        vm.prank(user);
        forwarder.forward(router, order);
        assertEq(weth.balanceOf(stranger), 1 ether, "the leftover");
        assertEq(usdc.balanceOf(receiver), swapOutput(1 ether), "the output");
    }

    function test_forwarderOfOneUserSharesNoExecutor() public {
        Forwarder own = new Forwarder();
        plantAllowances(forwarder);
        weth.transfer(address(own), 10 ether);
        own.approve(weth, address(router));
        Order memory order = victimsOrder(own);
        armFor(weth, own, 1 ether);
        vm.prank(user);
        own.forward(router, order);
        assertTrue(hook.called() && !hook.succeeded(), "the planted allowance worked");
        assertEq(weth.balanceOf(refund), 1 ether, "the leftover");
    }

    /// @dev A condition of use: the event says what the sender says.
    function test_anybodyCanHaveRoutedSayAnyAccount() public {
        Order memory order = makeOrder(NATIVE, 0, NATIVE, 0, hex"00");
        order.accountId = keccak256("somebody else's account");
        vm.expectEmit(true, true, true, true, address(router));
        emit Routed(order.accountId, order.referralCode, stranger, order.receiver);
        executeAs(stranger, 0, order);
    }
}
