// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BalanceDecreased, BpsOutOfRange, FeeAboveInput, MalformedSteps, NativeTransferFailed} from "../src/Errors.sol";
import {StepFailed, UnreadableBalance} from "../src/Errors.sol";
import {Input, NATIVE, Order, Routed} from "../src/Types.sol";
import {Base, Steps} from "./Base.sol";
import {MockWeth} from "./mocks/Tokens.sol";
import {Recorder} from "./mocks/Venues.sol";

contract StepRunnerTest is Base {
    function expectStepsRevert(bytes memory steps, bytes memory reason) private {
        vm.prank(user);
        vm.expectRevert(reason);
        router.execute(makeOrder(address(weth), 1 ether, address(weth), 0, steps));
    }

    function putData() private pure returns (bytes memory) {
        return abi.encodeCall(Recorder.put, (7));
    }

    /// @dev Every strict prefix of a program is refused, and so is anything behind its end.
    function test_truncatedAndOverlongStepsRevert() public {
        bytes memory steps = Steps.pack(Steps.call(address(recorder), putData()));
        vm.startPrank(user);
        for (uint256 length = 0; length < steps.length; ++length) {
            bytes memory prefix = new bytes(length);
            for (uint256 i = 0; i < length; ++i) prefix[i] = steps[i];
            vm.expectRevert(abi.encodeWithSelector(MalformedSteps.selector, 0));
            router.execute(makeOrder(NATIVE, 0, NATIVE, 0, prefix));
        }
        vm.expectRevert(abi.encodeWithSelector(MalformedSteps.selector, 1));
        router.execute(makeOrder(NATIVE, 0, NATIVE, 0, abi.encodePacked(steps, uint8(0))));
    }

    function test_unknownKindsRevert() public {
        expectStepsRevert(hex"0103", abi.encodeWithSelector(MalformedSteps.selector, 0));
        expectStepsRevert(hex"0111", abi.encodeWithSelector(MalformedSteps.selector, 0));
        bytes memory unknownAmount = Steps.transfer(address(weth), receiver, hex"21");
        expectStepsRevert(Steps.pack(unknownAmount), abi.encodeWithSelector(MalformedSteps.selector, 0));
    }

    function test_dataShorterThanASelectorReverts() public {
        bytes memory call = Steps.call(address(recorder), hex"010203");
        expectStepsRevert(Steps.pack(call), abi.encodeWithSelector(MalformedSteps.selector, 0));
    }

    function test_bpsOver10000Revert() public {
        bytes memory call = Steps.call(
            address(recorder),
            putData(),
            Steps.patch(4, Steps.balance(address(weth), 10_001))
        );
        expectStepsRevert(Steps.pack(call), abi.encodeWithSelector(BpsOutOfRange.selector, 0, 10_001));
    }

    function test_failedStepIsNamedWithItsReason() public {
        bytes memory fine = Steps.call(address(recorder), putData());
        bytes memory failing = Steps.call(address(recorder), abi.encodeCall(Recorder.fail, (1)));
        bytes memory reason = abi.encodeWithSignature("Error(string)", "failed as asked");
        expectStepsRevert(
            Steps.pack(fine, failing),
            abi.encodeWithSelector(StepFailed.selector, 1, address(recorder), reason)
        );
    }

    function test_outputOfABalanceThatShrinksReverts() public {
        bytes memory wrap = Steps.pack(
            Steps.callWord(address(recorder), 0, putData()),
            abi.encodePacked(
                uint8(0x90),
                address(weth),
                Steps.literal(1),
                NATIVE,
                uint24(4),
                abi.encodeCall(MockWeth.deposit, ()),
                uint8(0)
            )
        );
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(BalanceDecreased.selector, 1, NATIVE, 1 ether, 1 ether - 1));
        router.execute{value: 1 ether}(makeOrder(NATIVE, 1 ether, address(weth), 0, wrap));
    }

    function test_feeAboveTheInputReverts() public {
        Order memory order = makeOrder(address(weth), 1, address(weth), 0, hex"00");
        order.inputs[0].fee = 2;
        vm.startPrank(user);
        vm.expectRevert(abi.encodeWithSelector(FeeAboveInput.selector, address(weth), 2, 1));
        router.execute(order);
        vm.expectRevert(abi.encodeWithSelector(FeeAboveInput.selector, address(weth), 2, 1));
        factory.deployAndRun(order);
    }

    function test_receiverThatRefusesNativeReverts() public {
        Order memory order = makeOrder(NATIVE, 1 ether, NATIVE, 0, hex"00");
        order.receiver = address(recorder);
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(NativeTransferFailed.selector, address(recorder), 1 ether));
        router.execute{value: 1 ether}(order);
    }

    function test_outputWithoutABalanceReverts() public {
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(UnreadableBalance.selector, stranger));
        router.execute(makeOrder(address(weth), 1 ether, stranger, 0, hex"00"));
    }

    function test_emitsTheEvent() public {
        Order memory order = makeOrder(address(weth), 1 ether, address(weth), 0, hex"00");
        vm.expectEmit(true, true, true, true, address(router));
        emit Routed(order.accountId, order.referralCode, user, receiver);
        execute(order);
    }

    function test_severalInputsAndOutputs() public {
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 0, hex"00");
        order.inputs = new Input[](2);
        order.inputs[0] = Input({token: address(weth), amount: 2 ether, fee: 1 ether});
        order.inputs[1] = Input({token: address(usdc), amount: 4 ether, fee: 1 ether});
        order.outputs = makeOrder(address(weth), 0, address(usdc), 3 ether, hex"00").outputs;
        uint256[] memory amounts = execute(order);
        assertEq(amounts[0], 3 ether, "USDC through");
        assertEq(weth.balanceOf(refund), 1 ether, "WETH refunded");
        assertEq(weth.balanceOf(feeReceiver), 1 ether, "WETH fee");
        assertEq(usdc.balanceOf(feeReceiver), 1 ether, "USDC fee");
        assertNothingLeft(user);
    }

    /// @dev A value lands where the patch says, scaled and rounded down, and nowhere else.
    function testFuzz_patchWritesTheScaledBalance(uint96 amount, uint16 bps) public {
        vm.assume(bps <= 10_000);
        usdc.mint(user, amount);
        bytes memory put = Steps.call(
            address(recorder),
            putData(),
            Steps.patch(4, Steps.balance(address(usdc), bps))
        );
        execute(makeOrder(address(usdc), amount, address(usdc), amount, Steps.pack(put)));
        assertEq(recorder.stored(), (uint256(amount) * bps) / 10_000, "the patched value");
        assertNothingLeft(user);
    }

    function testFuzz_literalOfAnyWidth(uint256 value, uint8 width) public {
        width = width % 33;
        value = width == 0 ? 0 : value >> (256 - 8 * uint256(width));
        bytes memory literal = new bytes(width);
        for (uint256 i = 0; i < width; ++i) literal[i] = bytes1(uint8(value >> (8 * (width - 1 - i))));
        bytes memory put = Steps.call(
            address(recorder),
            putData(),
            Steps.patch(4, abi.encodePacked(width, literal))
        );
        execute(makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(put)));
        assertEq(recorder.stored(), value, "the literal");
    }

    /// @dev Whatever bytes the steps are, only the sender's own tokens can move.
    function testFuzz_arbitraryStepsTouchOnlyTheSendersFunds(bytes calldata steps) public {
        fund(stranger);
        uint256 before = weth.balanceOf(user) + usdc.balanceOf(user) + user.balance;
        vm.prank(stranger);
        try router.execute{value: 1}(makeOrder(NATIVE, 1, address(weth), 0, steps)) {
            assertNothingLeft(user);
        } catch {
            assertNothingLeft(stranger);
        }
        assertEq(weth.balanceOf(user) + usdc.balanceOf(user) + user.balance, before, "the user's funds");
    }
}
