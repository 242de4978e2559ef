// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {FlashLoans, IFlashLender} from "../../src/helpers/FlashLoans.sol";

/// @dev Lends as the vault of Balancer V2 does, as long as it is honest.
contract Lender {
    enum Manner {
        Honest,
        CallsTwice,
        SwapsTheProgram,
        ChangesTheAmount,
        NeverCalls,
        SwallowsFailure
    }

    uint256 public feeE18;
    Manner public manner;
    bytes public otherProgram;
    bool private lending;

    function setFee(uint256 value) external {
        feeE18 = value;
    }

    function misbehave(Manner how, bytes calldata program) external {
        (manner, otherProgram) = (how, program);
    }

    function flashLoan(
        FlashLoans recipient,
        address[] calldata tokens,
        uint256[] memory amounts,
        bytes memory userData
    ) external {
        require(!lending, "reentrant");
        if (manner == Manner.NeverCalls) return;
        lending = true;
        uint256[] memory fees = new uint256[](tokens.length);
        uint256[] memory before = new uint256[](tokens.length);
        for (uint256 i = 0; i < tokens.length; ++i) {
            fees[i] = (amounts[i] * feeE18 + 1e18 - 1) / 1e18;
            before[i] = IERC20(tokens[i]).balanceOf(address(this));
            IERC20(tokens[i]).transfer(address(recipient), amounts[i]);
        }
        if (manner == Manner.SwapsTheProgram) userData = otherProgram;
        if (manner == Manner.ChangesTheAmount) --amounts[0];
        if (manner == Manner.SwallowsFailure) {
            try recipient.receiveFlashLoan(tokens, amounts, fees, userData) {} catch {}
            return;
        }
        recipient.receiveFlashLoan(tokens, amounts, fees, userData);
        if (manner == Manner.CallsTwice) recipient.receiveFlashLoan(tokens, amounts, fees, userData);
        for (uint256 i = 0; i < tokens.length; ++i) {
            require(IERC20(tokens[i]).balanceOf(address(this)) >= before[i] + fees[i], "not paid back");
        }
        lending = false;
    }
}

/// @dev The target of a step with a program, in place of FlashLoans; or somebody who borrows for itself.
contract ProgramCaller {
    bytes public seen;

    /// @dev Has `program` run `times` times by whoever calls; `other` in its place where there is one.
    function start(uint256 times, bytes calldata other, bytes calldata program) external {
        for (uint256 i = 0; i < times; ++i) Runs(msg.sender).runProgram(other.length == 0 ? program : other);
    }

    /// @dev Goes on when the program fails.
    function attempt(bytes calldata program) external {
        try Runs(msg.sender).runProgram(program) {} catch {}
    }

    /// @dev Calls another's Executor in the middle of somebody's step.
    function startAt(address executor, bytes calldata program) external {
        Runs(executor).runProgram(program);
    }

    function borrow(FlashLoans loans, Lender lender, address token, uint256 amount, bytes calldata program) external {
        address[] memory tokens = new address[](1);
        uint256[] memory amounts = new uint256[](1);
        (tokens[0], amounts[0]) = (token, amount);
        loans.loan(IFlashLender(address(lender)), tokens, amounts, 0, program);
    }

    function runProgram(bytes calldata program) external {
        seen = program;
    }
}

interface Runs {
    function runProgram(bytes calldata program) external;
}
