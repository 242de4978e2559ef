// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BelowMinimum, NegativeDifference, StepFailed} from "../src/Errors.sol";
import {NATIVE} from "../src/Types.sol";
import {Values} from "../src/helpers/Values.sol";
import {Base, Steps} from "./Base.sol";
import {Recorder} from "./mocks/Venues.sol";

contract ValuesTest is Base {
    Values private values = Values(deployShipped("Values"));

    event Noted(uint256 indexed key, uint256 value);

    function testFuzz_sumIsExact(uint128[] calldata amounts) public view {
        uint256[] memory wide = new uint256[](amounts.length);
        uint256 expected;
        for (uint256 i = 0; i < amounts.length; ++i) {
            wide[i] = amounts[i];
            expected += amounts[i];
        }
        assertEq(values.sum(wide), expected, "sum");
    }

    function test_sumAboveUint256Reverts() public {
        uint256[] memory amounts = new uint256[](2);
        (amounts[0], amounts[1]) = (type(uint256).max, 1);
        vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x11));
        values.sum(amounts);
    }

    function testFuzz_differenceIsExactOrReverts(uint256 a, uint256 b) public {
        if (a < b) vm.expectRevert(abi.encodeWithSelector(NegativeDifference.selector, a, b));
        uint256 difference = values.difference(a, b);
        if (a >= b) assertEq(difference, a - b, "difference");
    }

    function testFuzz_lesserIsTheOneThatIsNotAboveTheOther(uint256 a, uint256 b) public view {
        assertEq(values.lesser(a, b), a > b ? b : a, "lesser");
    }

    function testFuzz_proportionIsRoundedDown(uint128 a, uint128 b, uint128 c) public {
        if (c == 0) vm.expectRevert(abi.encodeWithSignature("Panic(uint256)", 0x12));
        uint256 result = values.proportion(a, b, c);
        if (c > 0) assertEq(result, (uint256(a) * b) / c, "proportion");
    }

    function testFuzz_requireAtLeastGivesTheAmountOrReverts(uint256 amount, uint256 minimum) public {
        if (amount < minimum) vm.expectRevert(abi.encodeWithSelector(BelowMinimum.selector, amount, minimum));
        uint256 checked = values.requireAtLeast(amount, minimum);
        if (amount >= minimum) assertEq(checked, amount, "amount");
    }

    function test_stepsSumCheckAndNoteAmountsOfEarlierSteps() public {
        uint256[] memory zeros = new uint256[](2);
        bytes memory transfer = Steps.transfer(address(weth), receiver, Steps.literal(0.25 ether));
        bytes memory sum = abi.encodePacked(
            uint8(0x40),
            address(values),
            uint8(0),
            uint24(4 + 4 * 32),
            abi.encodeCall(Values.sum, (zeros)),
            uint8(2),
            Steps.patch(4 + 64, Steps.output(0)),
            Steps.patch(4 + 96, Steps.balance(address(weth)))
        );
        bytes memory note = Steps.call(
            address(values),
            abi.encodeCall(Values.note, (9, 0)),
            Steps.patch(4 + 32, Steps.output(1))
        );
        vm.expectEmit(true, false, false, true, address(values));
        emit Noted(9, 1 ether);
        // Of the output only what the Executor itself pays counts.
        execute(makeOrder(address(weth), 1 ether, address(weth), 0.75 ether, Steps.pack(transfer, sum, note)));
        assertEq(weth.balanceOf(receiver), 1 ether, "what the step and the Executor paid");
    }

    function test_aMinimumThatIsNotMetRevertsTheOrderWithItsFacts() public {
        bytes memory check = Steps.call(
            address(values),
            abi.encodeCall(Values.requireAtLeast, (0, 2 ether)),
            Steps.patch(4, Steps.balance(address(weth)))
        );
        bytes memory reason = abi.encodeWithSelector(BelowMinimum.selector, 1 ether, 2 ether);
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 0, address(values), reason));
        router.execute(makeOrder(address(weth), 1 ether, NATIVE, 0, Steps.pack(check)));
    }
}
