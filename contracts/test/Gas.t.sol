// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Order} from "../src/Types.sol";
import {Base, Steps} from "./Base.sol";
import {DirectPayer} from "./mocks/Venues.sol";

/// @dev What the Router costs above the least that a sender can pay: a contract that calls the pool and pays its
/// callback straight from the sender. Counts execution and call data, as a transaction of its own would.
contract GasTest is Base {
    uint256 private constant GOAL = 25_000;
    /// EIP-3529: the Executor's balance of the input goes from zero to zero.
    uint256 private constant REFUND = 19_900;

    event GasUsed(string what, uint256 gas);

    function test_routerCostsAtMost25kOverTheDirectPoolCall() public {
        DirectPayer direct = new DirectPayer();
        vm.prank(user);
        weth.approve(address(direct), type(uint256).max);
        usdc.mint(receiver, 1);
        // The clone of the sender exists.
        execute(makeOrder(address(weth), 1 ether, address(usdc), 0, Steps.pack(poolSwap(receiver))));

        bytes memory directCall = abi.encodeCall(
            DirectPayer.swap,
            (pool, receiver, address(pool.token0()) == address(weth), 1 ether, swapOutput(1 ether))
        );
        uint256 directGas = measure(address(direct), directCall);
        Order memory order = makeOrder(
            address(weth),
            1 ether,
            address(usdc),
            swapOutput(1 ether),
            Steps.pack(poolSwap(receiver))
        );
        order.paidBySteps = true;
        uint256 routerGas = measure(address(router), abi.encodeCall(router.execute, (order)));
        emit GasUsed("direct", directGas);
        emit GasUsed("router", routerGas);
        assertTrue(routerGas - REFUND - directGas <= GOAL, "over the goal");
    }

    /// @dev Gas of a transaction before refunds: 21,000, call data, execution from cold.
    function measure(address target, bytes memory data) private returns (uint256 gas) {
        address[6] memory touched = [
            address(weth),
            address(usdc),
            address(pool),
            address(router),
            router.executorOf(user),
            router.executorImplementation()
        ];
        for (uint256 i = 0; i < touched.length; ++i) vm.cool(touched[i]);
        vm.cool(target);
        gas = 21_000;
        for (uint256 i = 0; i < data.length; ++i) gas += data[i] == 0 ? 4 : 16;
        vm.prank(user);
        uint256 before = gasleft();
        (bool ok, ) = target.call(data);
        gas += before - gasleft();
        assertTrue(ok, "the swap failed");
    }
}
