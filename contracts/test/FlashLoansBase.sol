// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {StepFailed, UnexpectedCall} from "../src/Errors.sol";
import {Order} from "../src/Types.sol";
import {FlashLoans, IFlashLender} from "../src/helpers/FlashLoans.sol";
import {Base, Steps} from "./Base.sol";
import {Lender, ProgramCaller} from "./mocks/Lenders.sol";
import {HookedToken} from "./mocks/Tokens.sol";
import {Recorder} from "./mocks/Venues.sol";

/// @dev A lender with WETH and HOOK, and the orders that borrow from it.
abstract contract FlashLoansBase is Base {
    FlashLoans internal loans = FlashLoans(deployShipped("FlashLoans"));
    Lender internal lender = new Lender();
    ProgramCaller internal caller = new ProgramCaller();
    HookedToken internal hook = new HookedToken();

    function setUp() public override {
        super.setUp();
        weth.transfer(address(lender), 1_000 ether);
        hook.mint(address(lender), 1_000 ether);
    }

    function loanData(address token, uint256 amount, bytes memory program) internal view returns (bytes memory) {
        return loanData(token, amount, 1e18, program);
    }

    function loanData(
        address token,
        uint256 amount,
        uint256 maximumFeeE18,
        bytes memory program
    ) internal view returns (bytes memory) {
        address[] memory tokens = new address[](1);
        uint256[] memory amounts = new uint256[](1);
        (tokens[0], amounts[0]) = (token, amount);
        IFlashLender from = IFlashLender(address(lender));
        return abi.encodeCall(FlashLoans.loan, (from, tokens, amounts, maximumFeeE18, program));
    }

    function loanStep(address token, uint256 amount, bytes memory program) internal view returns (bytes memory) {
        return Steps.callProgram(address(loans), loanData(token, amount, program), program, 0, "");
    }

    /// @dev Steps 0 and 2 of a program that pays back what is owed; `between` is step 1.
    function repaying(address token, bytes memory between) internal view returns (bytes memory) {
        return
            Steps.pack(
                Steps.callWord(address(loans), 0, abi.encodeCall(FlashLoans.owed, (token))),
                between,
                Steps.transfer(token, address(loans), Steps.output(0))
            );
    }

    function put(uint256 value) internal view returns (bytes memory) {
        return Steps.call(address(recorder), abi.encodeCall(Recorder.put, (value)));
    }

    function assertNothingLent() internal view {
        assertEq(weth.balanceOf(address(loans)), 0, "WETH left in FlashLoans");
        assertEq(hook.balanceOf(address(loans)), 0, "HOOK left in FlashLoans");
        assertEq(loans.owed(address(weth)), 0, "still owed");
        assertNothingLeft(user);
    }

    /// @dev The order of a user who brings 1 WETH and gets back what the steps leave of it.
    function wethOrder(bytes memory step) internal view returns (Order memory) {
        return makeOrder(address(weth), 1 ether, address(weth), 0, Steps.pack(step));
    }

    /// @dev The loan fails for `reason` inside of step 0.
    function expectLoanRevert(bytes memory step, bytes memory reason) internal {
        expectStepRevert(step, address(loans), reason);
    }

    function expectStepRevert(bytes memory step, address target, bytes memory reason) internal {
        Order memory order = wethOrder(step);
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 0, target, reason));
        router.execute(order);
    }

    function unexpected(address from) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(UnexpectedCall.selector, from);
    }
}
