// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {InsufficientOutput} from "../src/Errors.sol";
import {Input, NATIVE, Order, Output} from "../src/Types.sol";
import {Base, Steps} from "./Base.sol";
import {MockWeth, TaxedToken, TetherLike} from "./mocks/Tokens.sol";
import {Recorder} from "./mocks/Venues.sol";

/// @dev Tokens as they are: each works, and nothing is left in Router or Executor.
contract TokenKindsTest is Base {
    function test_feeOnTransferInputWorks() public {
        TaxedToken taxed = new TaxedToken();
        taxed.mint(user, 100 ether);
        vm.prank(user);
        taxed.approve(address(router), 100 ether);
        bytes memory send = Steps.transfer(address(taxed), address(recorder), Steps.balance(address(taxed), 5_000));
        uint256[] memory amounts = execute(
            makeOrder(address(taxed), 100 ether, address(taxed), 48.51 ether, Steps.pack(send))
        );
        // 99 arrive, half of them go on, the other half is paid out less another 1%.
        assertEq(taxed.balanceOf(address(recorder)), 49.005 ether, "what the step sent");
        assertEq(amounts[0], 49.005 ether, "what the receiver gained");
        assertEq(taxed.balanceOf(receiver), 49.005 ether, "the receiver's balance");
        assertEq(taxed.balanceOf(router.executorOf(user)), 0, "left in the Executor");
        assertNothingLeft(user);
    }

    function test_feeOnTransferOutputIsMeasuredNetOfTheTax() public {
        TaxedToken taxed = new TaxedToken();
        taxed.mint(user, 100 ether);
        vm.startPrank(user);
        taxed.approve(address(router), 100 ether);
        uint256[] memory amounts = router.execute(makeOrder(address(taxed), 100 ether, address(taxed), 0, hex"00"));
        assertEq(amounts[0], 98.01 ether, "net of two taxes");
    }

    function test_tokenWithoutReturnValueAndWithApproveThatNeedsZeroFirstWorks() public {
        TetherLike tether = new TetherLike();
        tether.mint(user, 100);
        vm.prank(user);
        tether.approve(address(router), 100);
        // Two approvals in a row, neither of which is used.
        bytes memory first = Steps.approve(address(tether), address(recorder), Steps.literal(7));
        bytes memory second = Steps.approve(address(tether), address(recorder), Steps.balance(address(tether)));
        uint256[] memory amounts = execute(
            makeOrder(address(tether), 100, address(tether), 100, Steps.pack(first, second))
        );
        assertEq(amounts[0], 100, "what the receiver gained");
        assertEq(tether.allowance(router.executorOf(user), address(recorder)), 100, "the allowance");
        assertEq(tether.balanceOf(router.executorOf(user)), 0, "left in the Executor");
    }

    function test_nativeInAndOutWorks() public {
        bytes memory wrap = Steps.callValue(
            address(weth),
            Steps.balance(NATIVE),
            abi.encodeCall(MockWeth.deposit, ())
        );
        bytes memory unwrap = Steps.call(
            address(weth),
            abi.encodeCall(MockWeth.withdraw, (0)),
            Steps.patch(4, Steps.balance(address(weth)))
        );
        Order memory order = makeOrder(NATIVE, 3 ether, NATIVE, 2 ether, Steps.pack(wrap, unwrap));
        order.inputs[0].fee = 1 ether;
        uint256[] memory amounts = executeAs(user, 3 ether, order);
        assertEq(amounts[0], 2 ether, "what the receiver gained");
        assertEq(receiver.balance, 2 ether, "the receiver's balance");
        assertEq(feeReceiver.balance, 1 ether, "the fee");
        assertNothingLeft(user);
    }

    function test_nativeOutToTheSenderIsMeasuredWithoutTheInput() public {
        Order memory order = makeOrder(NATIVE, 3 ether, NATIVE, 3 ether, hex"00");
        order.receiver = user;
        assertEq(executeAs(user, 3 ether, order)[0], 3 ether, "what the sender gained");
        assertEq(user.balance, 100 ether, "the sender's balance");
    }

    function test_dustOfInputsAndIntermediatesIsRefunded() public {
        weth.transfer(address(router.executorOf(user)), 5);
        bytes memory swap = Steps.callPaid(
            address(pool),
            address(weth),
            swapData(receiver, 1 ether),
            swapPatch(Steps.literal(1 ether))
        );
        bytes memory unwrap = Steps.call(address(weth), abi.encodeCall(MockWeth.withdraw, (7)));
        Order memory order = makeOrder(address(weth), 1 ether + 11, address(usdc), 0, Steps.pack(swap, unwrap));
        order.sweep = new address[](1);
        order.sweep[0] = NATIVE;
        execute(order);
        assertEq(weth.balanceOf(refund), 9, "WETH refunded");
        assertEq(refund.balance, 7, "ETH refunded");
        assertNothingLeft(user);
    }

    function test_legacyOrderPaysWhatIsLeftToTheReceiver() public {
        Order memory order = makeOrder(address(weth), 1 ether + 11, address(usdc), 0, Steps.pack(poolSwap(receiver)));
        order.steps = Steps.pack(
            Steps.callPaid(address(pool), address(weth), swapData(receiver, 0), swapPatch(Steps.literal(1 ether)))
        );
        order.paidBySteps = true;
        vm.prank(user);
        uint256[] memory amounts = router.executeLegacy(toLegacy(order));
        assertEq(amounts[0], swapOutput(1 ether), "what the receiver gained");
        assertEq(weth.balanceOf(receiver), 11, "what was left");
        assertNothingLeft(user);
    }

    function test_everyRoleMayBeTheSender() public {
        Order memory order = makeOrder(address(weth), 2 ether, address(usdc), 1, Steps.pack(poolSwap(user)));
        order.paidBySteps = true;
        order.inputs[0].fee = 1 ether;
        (order.receiver, order.refundReceiver, order.feeReceiver) = (user, user, user);
        uint256[] memory amounts = execute(order);
        assertEq(amounts[0], swapOutput(1 ether), "what the sender gained");
        assertEq(weth.balanceOf(user), 99 ether, "the fee came back");
        assertNothingLeft(user);
    }

    function test_outputPaidByAStepBesidesTheExecutorDoesNotCount() public {
        address executor = router.executorOf(user);
        bytes memory half = Steps.callPaid(
            address(pool),
            address(weth),
            swapData(executor, 0),
            swapPatch(Steps.balance(address(weth), 5_000))
        );
        uint256 output = swapOutput(1 ether);
        Order memory order = makeOrder(address(weth), 2 ether, address(usdc), output + 1, hex"");
        order.steps = Steps.pack(half, poolSwap(receiver));
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(InsufficientOutput.selector, address(usdc), output + 1, output));
        router.execute(order);
        order.outputs[0].minimum = output;
        assertEq(execute(order)[0], output, "the half that the Executor paid");
        assertEq(usdc.balanceOf(receiver), output * 2, "both halves");
        assertNothingLeft(user);
    }

    function test_callbackOfAnyNamePays() public {
        pool.configure(true, 1);
        bytes memory steps = Steps.pack(poolSwap(receiver));
        execute(paidBySteps(makeOrder(address(weth), 1 ether, address(usdc), swapOutput(1 ether), steps)));
        assertNothingLeft(user);
    }

    function test_stepUsesTheOutputOfAnEarlierOne() public {
        address executor = router.executorOf(user);
        bytes memory swap = abi.encodePacked(
            uint8(0x20 | 0x80),
            address(pool),
            address(weth),
            address(usdc),
            uint24(swapData(executor, 0).length),
            swapData(executor, 0),
            uint8(1),
            swapPatch(Steps.balance(address(weth)))
        );
        bytes memory put = Steps.call(
            address(recorder),
            abi.encodeCall(Recorder.put, (0)),
            Steps.patch(4, Steps.output(0, 2_500))
        );
        execute(makeOrder(address(weth), 1 ether, address(usdc), 0, Steps.pack(swap, put)));
        assertEq(recorder.stored(), swapOutput(1 ether) / 4, "a quarter of the output");
        assertNothingLeft(user);
    }
}
