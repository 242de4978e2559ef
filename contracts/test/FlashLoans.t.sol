// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {
    CallbackNotSupported,
    FeeAboveMaximum,
    InsufficientOutput,
    LoanNotGiven,
    LoanNotRepaid,
    PatchOutOfRange,
    ProgramNotRun
} from "../src/Errors.sol";
import {Router} from "./IRouter.sol";
import {Order} from "../src/Types.sol";
import {FlashLoans, IFlashLender} from "../src/helpers/FlashLoans.sol";
import {Steps} from "./Base.sol";
import {FlashLoansBase} from "./FlashLoansBase.sol";
import {Lender, ProgramCaller} from "./mocks/Lenders.sol";
import {Recorder} from "./mocks/Venues.sol";

/// @dev What a loan does, and the mistakes that it refuses: rows of the table of flash loans in docs/explanation/executor.md.
contract FlashLoansTest is FlashLoansBase {
    function testFuzz_lendsRunsTheProgramAndPaysBackWithFee(uint256 amount, uint256 feeE18) public {
        (amount, feeE18) = (amount % 1_000 ether, feeE18 % 0.0005e18);
        uint256 fee = (amount * feeE18 + 1e18 - 1) / 1e18;
        lender.setFee(feeE18);
        bytes memory program = repaying(
            address(weth),
            Steps.call(
                address(recorder),
                abi.encodeCall(Recorder.put, (0)),
                Steps.patch(4, Steps.balance(address(weth)))
            )
        );
        bytes memory data = loanData(address(weth), amount, feeE18, program);
        execute(wethOrder(Steps.callProgram(address(loans), data, program, 0, "")));
        assertEq(recorder.stored(), amount + 1 ether, "what the program had");
        assertEq(weth.balanceOf(address(lender)), 1_000 ether + fee, "the lender's gain");
        assertEq(weth.balanceOf(receiver), 1 ether - fee, "what is left of the input");
        assertNothingLent();
    }

    function test_lendsSeveralTokensAtOnce() public {
        address[] memory tokens = new address[](2);
        uint256[] memory amounts = new uint256[](2);
        (tokens[0], tokens[1], amounts[0], amounts[1]) = (address(weth), address(hook), 7 ether, 9 ether);
        bytes memory program = Steps.pack(
            put(7),
            Steps.transfer(address(weth), address(loans), Steps.literal(7 ether)),
            Steps.transfer(address(hook), address(loans), Steps.literal(9 ether))
        );
        IFlashLender from = IFlashLender(address(lender));
        bytes memory data = abi.encodeCall(FlashLoans.loan, (from, tokens, amounts, 0, program));
        execute(wethOrder(Steps.callProgram(address(loans), data, program, 0, "")));
        assertEq(weth.balanceOf(receiver), 1 ether, "the input");
        assertNothingLent();
    }

    function test_patchesBringOuterOutputsIntoTheProgram() public {
        // put(5) is step 0 outside; its output goes into the literal of the program's own put.
        bytes memory inner = Steps.call(
            address(recorder),
            abi.encodeCall(Recorder.put, (0)),
            Steps.patch(4, Steps.literal(0))
        );
        bytes memory program = repaying(address(weth), inner);
        bytes memory data = loanData(address(weth), 2 ether, program);
        // count, the call of owed, and of the inner call all up to its literal.
        uint256 owedLength = Steps.callWord(address(loans), 0, abi.encodeCall(FlashLoans.owed, (address(weth)))).length;
        uint24 place = Steps.programStart(data, program) + uint24(1 + owedLength + inner.length - 32);
        bytes memory step = Steps.callProgram(
            address(loans),
            data,
            program,
            1,
            Steps.patch(place, Steps.output(0, 4_000))
        );
        bytes memory outer = Steps.callWord(address(recorder), 0, abi.encodeCall(Recorder.put, (5)));
        execute(makeOrder(address(weth), 1 ether, address(weth), 1 ether, Steps.pack(outer, step)));
        assertEq(recorder.stored(), 2, "40 % of 5");
        assertNothingLent();
    }

    function test_whatTheProgramPaysTooMuchComesBack() public {
        bytes memory program = Steps.pack(
            Steps.transfer(address(weth), address(loans), Steps.balance(address(weth)))
        );
        execute(wethOrder(loanStep(address(weth), 2 ether, program)));
        assertEq(weth.balanceOf(receiver), 1 ether, "the input");
        assertNothingLent();
    }

    function test_minimumHoldsForAnOrderWithALoan() public {
        lender.setFee(0.01e18);
        Order memory order = wethOrder(loanStep(address(weth), 2 ether, repaying(address(weth), put(1))));
        order.outputs[0].minimum = 0.98 ether + 1;
        vm.prank(user);
        vm.expectRevert(
            abi.encodeWithSelector(InsufficientOutput.selector, address(weth), 0.98 ether + 1, 0.98 ether)
        );
        router.execute(order);
    }

    function test_failureOfTheProgramIsTheFailureOfTheStep() public {
        bytes memory fail = Steps.pack(Steps.call(address(recorder), abi.encodeCall(Recorder.fail, (0))));
        lender.misbehave(Lender.Manner.SwallowsFailure, "");
        expectLoanRevert(
            loanStep(address(weth), 2 ether, fail),
            abi.encodeWithSelector(LoanNotGiven.selector, address(lender))
        );
        bytes memory attempt = abi.encodeCall(ProgramCaller.attempt, (fail));
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(ProgramNotRun.selector, 0));
        router.execute(wethOrder(Steps.callProgram(address(caller), attempt, fail, 0, "")));
    }

    function test_feeRaisedAboveTheMaximumReverts() public {
        bytes memory program = repaying(address(weth), put(1));
        bytes memory data = loanData(address(weth), 2 ether, 0.0005e18, program);
        lender.setFee(0.0005e18 + 1);
        expectLoanRevert(
            Steps.callProgram(address(loans), data, program, 0, ""),
            abi.encodeWithSelector(FeeAboveMaximum.selector, address(weth), 0.001 ether + 2, 0.001 ether)
        );
    }

    function test_loanNotPaidBackReverts() public {
        lender.setFee(0.01e18);
        bytes memory program = Steps.pack(
            Steps.transfer(address(weth), address(loans), Steps.literal(2.02 ether - 1))
        );
        expectLoanRevert(
            loanStep(address(weth), 2 ether, program),
            abi.encodeWithSelector(LoanNotRepaid.selector, address(weth), 2.02 ether, 2.02 ether - 1)
        );
        expectLoanRevert(
            loanStep(address(weth), 2 ether, hex"00"),
            abi.encodeWithSelector(LoanNotRepaid.selector, address(weth), 2.02 ether, 0)
        );
    }

    function test_programOutsideTheDataReverts() public {
        bytes memory data = loanData(address(weth), 2 ether, hex"00");
        bytes memory head = abi.encodePacked(uint8(0x08), address(loans), uint24(data.length), data, uint8(0));
        uint24[2][2] memory places = [[uint24(data.length), 1], [type(uint24).max, type(uint24).max]];
        for (uint256 i = 0; i < 2; ++i) {
            Order memory order = wethOrder(abi.encodePacked(head, places[i][0], places[i][1]));
            vm.prank(user);
            vm.expectRevert(abi.encodeWithSelector(PatchOutOfRange.selector, 0, places[i][0], data.length));
            router.execute(order);
        }
    }

    function test_accountsTakeNoLoans() public {
        Order memory order = wethOrder(loanStep(address(weth), 2 ether, repaying(address(weth), put(1))));
        vm.startPrank(user);
        vm.expectRevert(abi.encodeWithSelector(CallbackNotSupported.selector, 0));
        factory.deployAndRun(order);
        vm.stopPrank();
        uint256 key = 0x7702;
        address account = vm.addr(key);
        fund(account);
        vm.signAndAttachDelegation(address(delegate), key);
        vm.prank(account);
        vm.expectRevert(abi.encodeWithSelector(CallbackNotSupported.selector, 0));
        Router(account).execute(order);
    }
}
