// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {
    CallbackNotSupported,
    FeeAboveMaximum,
    ForeignTransferFrom,
    InsufficientOutput,
    LoanNotGiven,
    LoanNotRepaid,
    PatchOutOfRange,
    ProgramNotRun,
    StepFailed,
    UnexpectedCall
} from "../src/Errors.sol";
import {Executor} from "../src/Executor.sol";
import {Router} from "../src/Router.sol";
import {NATIVE, Order} from "../src/Types.sol";
import {FlashLoans, IFlashLender} from "../src/helpers/FlashLoans.sol";
import {Base, Steps} from "./Base.sol";
import {Lender, ProgramCaller} from "./mocks/Lenders.sol";
import {HookedToken} from "./mocks/Tokens.sol";
import {Recorder} from "./mocks/Venues.sol";

/// @dev Every row of the table of attacks on flash loans in docs/executor.md.
contract FlashLoansTest is Base {
    FlashLoans private loans = FlashLoans(deployShipped("FlashLoans"));
    Lender private lender = new Lender();
    ProgramCaller private caller = new ProgramCaller();
    HookedToken private hook = new HookedToken();

    function setUp() public override {
        super.setUp();
        weth.transfer(address(lender), 1_000 ether);
        hook.mint(address(lender), 1_000 ether);
    }

    function loanData(address token, uint256 amount, bytes memory program) private view returns (bytes memory) {
        return loanData(token, amount, 1e18, program);
    }

    function loanData(
        address token,
        uint256 amount,
        uint256 maximumFeeE18,
        bytes memory program
    ) private view returns (bytes memory) {
        address[] memory tokens = new address[](1);
        uint256[] memory amounts = new uint256[](1);
        (tokens[0], amounts[0]) = (token, amount);
        IFlashLender from = IFlashLender(address(lender));
        return abi.encodeCall(FlashLoans.loan, (from, tokens, amounts, maximumFeeE18, program));
    }

    function loanStep(address token, uint256 amount, bytes memory program) private view returns (bytes memory) {
        return Steps.callProgram(address(loans), loanData(token, amount, program), program, 0, "");
    }

    /// @dev Steps 0 and 2 of a program that pays back what is owed; `between` is step 1.
    function repaying(address token, bytes memory between) private view returns (bytes memory) {
        return
            Steps.pack(
                Steps.callWord(address(loans), 0, abi.encodeCall(FlashLoans.owed, (token))),
                between,
                Steps.transfer(token, address(loans), Steps.output(0))
            );
    }

    function put(uint256 value) private view returns (bytes memory) {
        return Steps.call(address(recorder), abi.encodeCall(Recorder.put, (value)));
    }

    function assertNothingLent() private view {
        assertEq(weth.balanceOf(address(loans)), 0, "WETH left in FlashLoans");
        assertEq(hook.balanceOf(address(loans)), 0, "HOOK left in FlashLoans");
        assertEq(loans.owed(address(weth)), 0, "still owed");
        assertNothingLeft(user);
    }

    /// @dev The order of a user who brings 1 WETH and gets back what the steps leave of it.
    function wethOrder(bytes memory step) private view returns (Order memory) {
        return makeOrder(address(weth), 1 ether, address(weth), 0, Steps.pack(step));
    }

    /// @dev The loan fails for `reason` inside of step 0.
    function expectLoanRevert(bytes memory step, bytes memory reason) private {
        expectStepRevert(step, address(loans), reason);
    }

    function expectStepRevert(bytes memory step, address target, bytes memory reason) private {
        Order memory order = wethOrder(step);
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 0, target, reason));
        router.execute(order);
    }

    function unexpected(address from) private pure returns (bytes memory) {
        return abi.encodeWithSelector(UnexpectedCall.selector, from);
    }

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
