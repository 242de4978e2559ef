// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SlotDerivation} from "@openzeppelin/contracts/utils/SlotDerivation.sol";
import {TransientSlot} from "@openzeppelin/contracts/utils/TransientSlot.sol";
import {FeeAboveMaximum, LoanNotGiven, LoanNotRepaid, UnexpectedCall} from "../Errors.sol";
import {Tokens} from "../Tokens.sol";

/// @dev The vault of Balancer V2, and of its forks.
interface IFlashLender {
    function flashLoan(
        address recipient,
        address[] calldata tokens,
        uint256[] calldata amounts,
        bytes calldata userData
    ) external;
}

interface IBorrower {
    function runProgram(bytes calldata program) external;
}

/**
 * @title Borrows from a Balancer V2 vault for whoever calls, and only for the length of the call.
 *
 * The lender's callback counts only within a `loan` of this transaction, from the lender that the caller named, with
 * what was asked for, and once; the only contract that it makes run anything is the caller itself. Holds nothing
 * between transactions, and nobody has reason to approve it or to delegate credit to it: what the program does, the
 * borrower does with its own rights.
 */
contract FlashLoans {
    using SlotDerivation for bytes32;
    using TransientSlot for *;

    uint256 private constant E18 = 1e18;
    bytes32 private constant OWED = keccak256("forkroute.FlashLoans.owed");

    /// Of the running loan; `_lender` is the lock, since what is paid back lies here for a moment.
    address private transient _lender;
    address private transient _borrower;
    uint256 private transient _maximumFeeE18;
    /// Hash of what was asked for; zero when the lender has given it.
    bytes32 private transient _request;

    /**
     * @notice Lends to msg.sender, has it run its program, and pays back what the program has sent here.
     * What it has sent beyond that goes back to it.
     * @param maximumFeeE18 The highest fee, as a fraction of the amount (1e18 = 100 %).
     */
    function loan(
        IFlashLender lender,
        address[] calldata tokens,
        uint256[] calldata amounts,
        uint256 maximumFeeE18,
        bytes calldata program
    ) external {
        if (_lender != address(0)) revert UnexpectedCall(msg.sender);
        (_lender, _borrower, _maximumFeeE18) = (address(lender), msg.sender, maximumFeeE18);
        _request = _hash(tokens, amounts, program);
        lender.flashLoan(address(this), tokens, amounts, program);
        if (_request != bytes32(0)) revert LoanNotGiven(address(lender));
        _lender = address(0);
    }

    /// @notice The lender's callback; the tokens have arrived.
    function receiveFlashLoan(
        address[] calldata tokens,
        uint256[] calldata amounts,
        uint256[] calldata fees,
        bytes calldata program
    ) external {
        if (msg.sender != _lender || _hash(tokens, amounts, program) != _request) revert UnexpectedCall(msg.sender);
        _request = bytes32(0);
        address borrower = _borrower;
        for (uint256 i = 0; i < tokens.length; ++i) {
            _checkFee(tokens[i], amounts[i], fees[i]);
            _owed(tokens[i]).tstore(amounts[i] + fees[i]);
            Tokens.pay(tokens[i], borrower, amounts[i]);
        }
        IBorrower(borrower).runProgram(program);
        for (uint256 i = 0; i < tokens.length; ++i) _payBack(tokens[i], amounts[i] + fees[i], borrower);
    }

    /// @notice What the running loan has to be paid back in `token`, fee included; 0 outside a loan.
    function owed(address token) external view returns (uint256) {
        return _owed(token).tload();
    }

    function _checkFee(address token, uint256 amount, uint256 fee) private view {
        uint256 maximum = Math.mulDiv(amount, _maximumFeeE18, E18, Math.Rounding.Ceil);
        if (fee > maximum) revert FeeAboveMaximum(token, fee, maximum);
    }

    function _payBack(address token, uint256 amount, address borrower) private {
        uint256 held = Tokens.balanceOf(token, address(this));
        if (held < amount) revert LoanNotRepaid(token, amount, held);
        _owed(token).tstore(0);
        Tokens.pay(token, msg.sender, amount);
        if (held > amount) Tokens.pay(token, borrower, held - amount);
    }

    function _owed(address token) private pure returns (TransientSlot.Uint256Slot) {
        return OWED.deriveMapping(token).asUint256();
    }

    function _hash(
        address[] calldata tokens,
        uint256[] calldata amounts,
        bytes calldata program
    ) private pure returns (bytes32) {
        return keccak256(abi.encode(tokens, amounts, program));
    }
}
