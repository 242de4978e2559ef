// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {DestinationReceiver} from "../src/DestinationReceiver.sol";
import {NativeTransferFailed} from "../src/Errors.sol";
import {LegacyOrder, NATIVE, Order} from "../src/Types.sol";
import {Router} from "./IRouter.sol";
import {Base, Steps} from "./Base.sol";
import {MockWeth} from "./mocks/Tokens.sol";

/// @dev A contract that sends orders and takes no ether.
contract Etherless {
    function send(Router router, Order calldata order) external payable {
        router.execute{value: msg.value}(order);
    }

    function sendLegacy(Router router, LegacyOrder calldata order) external payable {
        router.executeLegacy{value: msg.value}(order);
    }
}

/// @dev Anybody can send ether to an Executor. It is no part of any order that names ether.
contract EtherDustTest is Base {
    DestinationReceiver private destination = DestinationReceiver(payable(deployShipped("DestinationReceiver")));
    Etherless private sender = new Etherless();

    function sendDust(address executor) private {
        vm.deal(stranger, 1);
        vm.prank(stranger);
        (bool ok, ) = executor.call{value: 1}("");
        assertTrue(ok, "the dust did not arrive");
    }

    /// @dev Wraps `amount` of 1 ether, and pays it out; the rest goes back to the sender.
    function wrapping(uint256 amount) private view returns (Order memory order) {
        bytes memory wrap = Steps.callValue(
            address(weth),
            Steps.literal(amount),
            abi.encodeCall(MockWeth.deposit, ())
        );
        order = makeOrder(NATIVE, 1 ether, address(weth), amount, Steps.pack(wrap));
        order.refundReceiver = address(sender);
    }

    function test_weiInTheExecutorOfASenderThatTakesNoEtherStopsNoOrder() public {
        address executor = router.executorOf(address(sender));
        sendDust(executor);
        sender.send{value: 1 ether}(router, wrapping(1 ether));
        sender.send{value: 1 ether}(router, wrapping(1 ether));
        assertEq(weth.balanceOf(receiver), 2 ether, "what the receiver gained");
        assertEq(executor.balance, 1, "the dust");
    }

    function test_weiInTheExecutorStopsNoLegacyOrder() public {
        sendDust(router.executorOf(address(sender)));
        Order memory order = wrapping(1 ether);
        order.receiver = address(sender);
        sender.sendLegacy{value: 1 ether}(router, toLegacy(order));
        assertEq(weth.balanceOf(address(sender)), 1 ether, "what the receiver gained");
    }

    function test_weiInTheExecutorStopsNoOrderThatOnlySweepsEther() public {
        sendDust(router.executorOf(address(sender)));
        weth.transfer(address(sender), 1 ether);
        vm.prank(address(sender));
        weth.approve(address(router), 1 ether);
        Order memory order = makeOrder(address(weth), 1 ether, address(weth), 1 ether, hex"00");
        order.refundReceiver = address(sender);
        order.sweep = new address[](1);
        order.sweep[0] = NATIVE;
        sender.send(router, order);
        assertEq(weth.balanceOf(receiver), 1 ether, "what the receiver gained");
    }

    function test_weiInTheExecutorOfADeliveryStopsNoOrder() public {
        Order memory order = wrapping(0.4 ether);
        order.refundReceiver = refund;
        bytes memory message = deliveryMessage(order, stranger, 0, 0);
        address implementation = destination.executorImplementation();
        address executor = Clones.predictDeterministicAddress(
            implementation,
            keccak256(message),
            address(destination)
        );
        sendDust(executor);
        destination.deliver{value: 1 ether}(NATIVE, 1 ether, message);
        assertEq(weth.balanceOf(receiver), 0.4 ether, "what the receiver gained");
        assertEq(refund.balance, 0.6 ether, "what was left of the delivery");

        order.refundReceiver = address(sender);
        order.steps = wrapping(1 ether).steps;
        message = deliveryMessage(order, stranger, 0, 0);
        sendDust(Clones.predictDeterministicAddress(implementation, keccak256(message), address(destination)));
        destination.deliver{value: 1 ether}(NATIVE, 1 ether, message);
        assertEq(weth.balanceOf(receiver), 1.4 ether, "what the receiver gained");
    }

    function test_whatAnOrderLeavesOfItsOwnEtherGoesBackBesideDust() public {
        sendDust(router.executorOf(user));
        Order memory order = wrapping(0.4 ether);
        order.refundReceiver = refund;
        executeAs(user, 1 ether, order);
        assertEq(refund.balance, 0.6 ether, "the leftover");
        assertEq(weth.balanceOf(receiver), 0.4 ether, "what the receiver gained");
    }

    function test_whatAnOrderLeavesIsNotKeptFromASenderThatTakesNoEther() public {
        Order memory order = wrapping(0.4 ether);
        vm.expectRevert(abi.encodeWithSelector(NativeTransferFailed.selector, address(sender), 0.6 ether));
        sender.send{value: 1 ether}(router, order);
    }

    /// @dev A share of the balance is a share of all ether there.
    function test_stepsMayTakeTheDust() public {
        address executor = router.executorOf(address(sender));
        sendDust(executor);
        Order memory order = wrapping(1 ether);
        order.steps = Steps.pack(
            Steps.callValue(address(weth), Steps.balance(NATIVE), abi.encodeCall(MockWeth.deposit, ()))
        );
        sender.send{value: 1 ether}(router, order);
        assertEq(weth.balanceOf(receiver), 1 ether + 1, "what the receiver gained");
        assertEq(executor.balance, 0, "the dust");
    }
}
