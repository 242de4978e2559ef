// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {
    ForeignTransferFrom,
    LoanNotGiven,
    ProgramNotRun,
    StepFailed,
    UnexpectedCall
} from "../src/Errors.sol";
import {Executor} from "../src/Executor.sol";
import {Router} from "./IRouter.sol";
import {NATIVE} from "../src/Types.sol";
import {FlashLoans} from "../src/helpers/FlashLoans.sol";
import {Steps} from "./Base.sol";
import {FlashLoansBase} from "./FlashLoansBase.sol";
import {Lender, ProgramCaller} from "./mocks/Lenders.sol";
import {HookedToken} from "./mocks/Tokens.sol";

/// @dev Strangers, lenders, tokens and targets that attack: rows of the table of flash loans in docs/explanation/executor.md.
contract FlashLoanAttacksTest is FlashLoansBase {
    function test_strangerCannotBringFlashLoansALoan() public {
        address[] memory tokens = new address[](1);
        uint256[] memory amounts = new uint256[](1);
        tokens[0] = address(weth);
        vm.prank(stranger);
        vm.expectRevert(unexpected(stranger));
        loans.receiveFlashLoan(tokens, amounts, amounts, "");
        // Through the real lender: no loan of this transaction asked for it.
        vm.prank(stranger);
        vm.expectRevert(unexpected(address(lender)));
        lender.flashLoan(loans, tokens, amounts, "");
    }

    function test_loanOfAStrangerRunsNobodysExecutor() public {
        execute(wethOrder(put(1)));
        Executor executor = Executor(payable(router.executorOf(user)));
        Executor implementation = Executor(payable(router.executorImplementation()));
        bytes memory steal = Steps.pack(Steps.transfer(address(weth), stranger, Steps.balance(address(weth))));
        vm.prank(stranger);
        vm.expectRevert(unexpected(stranger));
        executor.runProgram(steal);
        vm.expectRevert(unexpected(address(this)));
        implementation.runProgram(steal);
        // A loan comes to whoever asked for it: the stranger's own contract is called, nobody else.
        caller.borrow(loans, lender, address(weth), 0, steal);
        assertTrue(keccak256(caller.seen()) == keccak256(steal), "the borrower was not called");
    }

    function test_strangerCannotAnswerForFlashLoansDuringALoan() public {
        address executor = router.executorOf(user);
        bytes memory program = repaying(address(hook), put(1));
        bytes[4] memory attempts = [
            // The lent token's own hook, before the Executor is called, with the very program.
            abi.encodeCall(Executor.runProgram, (program)),
            loanData(address(weth), 0, ""),
            abi.encodeCall(FlashLoans.receiveFlashLoan, (new address[](0), new uint256[](0), new uint256[](0), "")),
            abi.encodeCall(Router.execute, (makeOrder(NATIVE, 0, NATIVE, 0, hex"00")))
        ];
        address[4] memory targets = [executor, address(loans), address(loans), address(router)];
        for (uint256 i = 0; i < attempts.length; ++i) {
            hook.arm(targets[i], attempts[i]);
            execute(wethOrder(loanStep(address(hook), 3 ether, program)));
            assertTrue(hook.called() && !hook.succeeded(), "the token re-entered");
            bytes4 expected = i == 3
                ? ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector
                : UnexpectedCall.selector;
            assertTrue(bytes4(hook.result()) == expected, "refused for another reason");
            assertNothingLent();
        }
    }

    function test_tokenCannotSwapAProgramInWhileItIsPaidBack() public {
        // The hook is armed by the program itself, so that it goes off when FlashLoans pays the lender.
        bytes memory steal = Steps.pack(Steps.transfer(address(weth), stranger, Steps.balance(address(weth))));
        address[2] memory targets = [router.executorOf(user), address(loans)];
        bytes[2] memory attempts = [
            abi.encodeCall(Executor.runProgram, (steal)),
            loanData(address(weth), 1 ether, steal)
        ];
        for (uint256 i = 0; i < 2; ++i) {
            bytes memory program = Steps.pack(
                Steps.transfer(address(hook), address(loans), Steps.literal(3 ether)),
                Steps.call(address(hook), abi.encodeCall(HookedToken.arm, (targets[i], attempts[i])))
            );
            execute(wethOrder(loanStep(address(hook), 3 ether, program)));
            assertTrue(hook.called() && !hook.succeeded(), "the token re-entered");
            assertTrue(bytes4(hook.result()) == UnexpectedCall.selector, "refused for another reason");
            hook.arm(address(0), "");
            assertNothingLent();
        }
        assertEq(weth.balanceOf(stranger), 0, "the stranger's WETH");
    }

    function test_lenderThatSwapsTheProgramOrTheAmountIsRefused() public {
        bytes memory steal = Steps.pack(Steps.transfer(address(weth), stranger, Steps.balance(address(weth))));
        bytes memory step = loanStep(address(weth), 2 ether, repaying(address(weth), put(1)));
        lender.misbehave(Lender.Manner.SwapsTheProgram, steal);
        expectLoanRevert(step, unexpected(address(lender)));
        lender.misbehave(Lender.Manner.ChangesTheAmount, "");
        expectLoanRevert(step, unexpected(address(lender)));
    }

    function test_lenderCallsBackOnceExactly() public {
        bytes memory step = loanStep(address(weth), 2 ether, repaying(address(weth), put(1)));
        lender.misbehave(Lender.Manner.CallsTwice, "");
        expectLoanRevert(step, unexpected(address(lender)));
        lender.misbehave(Lender.Manner.NeverCalls, "");
        expectLoanRevert(step, abi.encodeWithSelector(LoanNotGiven.selector, address(lender)));
    }

    function test_loanInALoanIsRefused() public {
        bytes memory program = repaying(address(weth), loanStep(address(weth), 1, hex"00"));
        bytes memory inner = unexpected(router.executorOf(user));
        expectLoanRevert(
            loanStep(address(weth), 2 ether, program),
            abi.encodeWithSelector(StepFailed.selector, 1, address(loans), inner)
        );
    }

    function test_targetRunsOnlyTheProgramOfItsStepAndOnlyOnce() public {
        bytes memory program = Steps.pack(put(7));
        bytes memory steal = Steps.pack(Steps.transfer(address(weth), stranger, Steps.balance(address(weth))));
        bytes memory once = abi.encodeCall(ProgramCaller.start, (1, "", program));
        execute(wethOrder(Steps.callProgram(address(caller), once, program, 0, "")));
        assertEq(recorder.stored(), 7, "the program did not run");

        bytes memory twice = abi.encodeCall(ProgramCaller.start, (2, "", program));
        expectCallerRevert(Steps.callProgram(address(caller), twice, program, 0, ""));
        bytes memory swapped = abi.encodeCall(ProgramCaller.start, (1, steal, program));
        expectCallerRevert(Steps.callProgram(address(caller), swapped, program, 0, ""));
        // A step without a program allows none.
        expectCallerRevert(Steps.call(address(caller), once));

        bytes memory never = abi.encodeCall(ProgramCaller.start, (0, "", program));
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(ProgramNotRun.selector, 0));
        router.execute(wethOrder(Steps.callProgram(address(caller), never, program, 0, "")));
    }

    function expectCallerRevert(bytes memory step) private {
        expectStepRevert(step, address(caller), unexpected(address(caller)));
    }

    function test_programIsOverWithItsStep() public {
        bytes memory program = Steps.pack(put(7));
        bytes memory once = abi.encodeCall(ProgramCaller.start, (1, "", program));
        bytes memory later = abi.encodeCall(ProgramCaller.startAt, (router.executorOf(user), program));
        bytes memory steps = Steps.pack(
            Steps.callProgram(address(caller), once, program, 0, ""),
            Steps.call(address(caller), later)
        );
        vm.prank(user);
        bytes memory reason = unexpected(address(caller));
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 1, address(caller), reason));
        router.execute(makeOrder(address(weth), 1 ether, address(weth), 0, steps));
    }

    function test_programOfOneSenderRunsInNoExecutorOfAnother() public {
        // The stranger's step may run a program in the stranger's Executor, not in the victim's.
        execute(wethOrder(put(1)));
        bytes memory program = Steps.pack(Steps.transfer(address(weth), stranger, Steps.balance(address(weth))));
        address victim = router.executorOf(user);
        bytes memory data = abi.encodeCall(ProgramCaller.startAt, (victim, program));
        bytes memory step = Steps.callProgram(address(caller), data, program, 0, "");
        vm.prank(stranger);
        bytes memory reason = unexpected(address(caller));
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 0, address(caller), reason));
        router.execute(makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(step)));
    }

    function test_programHasNobodysAllowances() public {
        bytes memory steal = Steps.call(
            address(weth),
            abi.encodeCall(IERC20.transferFrom, (user, stranger, 1 ether))
        );
        bytes memory step = loanStep(address(weth), 2 ether, repaying(address(weth), steal));
        bytes memory reason = abi.encodeWithSelector(ForeignTransferFrom.selector, 1, user);
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 0, address(loans), reason));
        router.execute(makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(step)));

        // What a program approves, the sender's Executor approves; FlashLoans never does.
        bytes memory approve = Steps.approve(address(weth), stranger, Steps.literal(1 ether));
        execute(wethOrder(loanStep(address(weth), 2 ether, repaying(address(weth), approve))));
        assertEq(weth.allowance(router.executorOf(user), stranger), 1 ether, "allowance of the Executor");
        assertEq(weth.allowance(address(loans), stranger), 0, "allowance of FlashLoans");
        assertEq(weth.allowance(address(loans), address(lender)), 0, "allowance for the lender");
    }

    /// @dev Arbitrary programs move nothing of others: the user's and the lender's funds are whole.
    function testFuzz_arbitraryProgramsTouchOnlyTheSendersFunds(bytes calldata program) public {
        bytes memory step = loanStep(address(weth), 2 ether, program);
        vm.prank(stranger);
        try router.execute(makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(step))) {} catch {}
        assertEq(weth.balanceOf(user), 100 ether, "the user's WETH");
        assertEq(weth.balanceOf(address(lender)), 1_000 ether, "the lender's WETH");
        assertNothingLent();
    }
}
