// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";
import {ERC721Holder} from "@openzeppelin/contracts/token/ERC721/utils/ERC721Holder.sol";
import {
    CallbackNotSupported,
    DeadlinePassed,
    FeeAboveInput,
    InsufficientInput,
    InsufficientOutput,
    InvalidReceiver,
    ReserveSpent,
    UnlistedToken
} from "./Errors.sol";
import {StepRunner} from "./StepRunner.sol";
import {Tokens} from "./Tokens.sol";
import {Input, LegacyOrder, NATIVE, Order, Output} from "./Types.sol";

/**
 * @title Runs orders inside an account that holds other things too.
 *
 * Of every token that the order lists (inputs, outputs, sweep) the account's holding beyond the inputs is its
 * reserve: references see only what lies above it, only that is paid out, and it must still be there at the end.
 * Of an output for somebody else no more counts than the account paid. Of an output for the account itself all that it
 * gained counts, whoever paid it.
 */
abstract contract AccountRunner is StepRunner, ReentrancyGuardTransient, ERC721Holder, ERC1155Holder {
    receive() external payable {}

    /// @dev An order on what the account holds; fees come out of it.
    function _execute(Order calldata order) internal returns (uint256[] memory amountsOut) {
        _checkOrder(order.receiver, order.deadline);
        Reserve[] memory reserves = _reserveOwn(order.inputs, order.outputs, order.sweep);
        _payFees(order.inputs, order.feeReceiver, false);
        amountsOut = _runReserved(order.steps, order.outputs, order.receiver, order.paidBySteps, reserves);
        _refund(reserves, order.refundReceiver);
        _checkReserves(reserves);
    }

    /// @dev As `_execute`; what is left over stays in the account.
    function _executeLegacy(LegacyOrder calldata order) internal returns (uint256[] memory amountsOut) {
        _checkOrder(order.receiver, order.deadline);
        Reserve[] memory reserves = _reserveOwn(order.inputs, order.outputs, order.sweep);
        _payFees(order.inputs, order.feeReceiver, false);
        amountsOut = _runReserved(order.steps, order.outputs, order.receiver, order.paidBySteps, reserves);
        _checkReserves(reserves);
    }

    /// @dev An order whose inputs have just arrived; `held` is what the account had of each input before.
    function _executePulled(
        Order calldata order,
        uint256[] calldata held
    ) internal returns (uint256[] memory amountsOut) {
        _checkOrder(order.receiver, order.deadline);
        Reserve[] memory reserves = _newReserves(order.inputs.length + order.outputs.length + order.sweep.length);
        for (uint256 i = 0; i < order.inputs.length; ++i) _reserve(reserves, order.inputs[i].token, held[i]);
        _reserveRest(reserves, order.outputs, order.sweep);
        _payFees(order.inputs, order.feeReceiver, true);
        amountsOut = _runReserved(order.steps, order.outputs, order.receiver, order.paidBySteps, reserves);
        _refund(reserves, order.refundReceiver);
        _checkReserves(reserves);
    }

    function _available(Run memory run, address token) internal view override returns (uint256) {
        return _above(token, _reserveOf(run.reserves, token));
    }

    /// @dev Accounts that hold things answer no callback: such steps go through the CallbackPayer.
    function _expectCallback(uint256 step, address, address) internal pure override {
        revert CallbackNotSupported(step);
    }

    // solhint-disable-next-line no-empty-blocks
    function _endCallback() internal pure override {}

    /// @dev What such a program leaves behind would have to be distinguished from what the account holds.
    function _expectProgram(uint256 step, address, bytes32) internal pure override {
        revert CallbackNotSupported(step);
    }

    // solhint-disable-next-line no-empty-blocks
    function _endProgram(uint256) internal pure override {}

    function _checkOrder(address receiver, uint256 deadline) private view {
        if (block.timestamp > deadline) revert DeadlinePassed(deadline, block.timestamp);
        if (receiver == address(0)) revert InvalidReceiver(receiver);
    }

    function _runReserved(
        bytes calldata steps,
        Output[] calldata outputs,
        address receiver,
        bool paidBySteps,
        Reserve[] memory reserves
    ) private returns (uint256[] memory amounts) {
        bool isOwn = receiver == address(this);
        amounts = new uint256[](outputs.length);
        for (uint256 i = 0; i < outputs.length; ++i) {
            address token = outputs[i].token;
            amounts[i] = isOwn ? _reserveOf(reserves, token) : Tokens.balanceOf(token, receiver);
        }

        _runSteps(steps, reserves);

        for (uint256 i = 0; i < outputs.length; ++i) {
            (address token, uint256 minimum) = (outputs[i].token, outputs[i].minimum);
            uint256 paid = isOwn ? 0 : _payAbove(token, _reserveOf(reserves, token), receiver);
            uint256 balance = Tokens.balanceOf(token, receiver);
            uint256 amount = balance > amounts[i] ? balance - amounts[i] : 0;
            if (!isOwn && !paidBySteps && paid < amount) amount = paid;
            if (amount < minimum) revert InsufficientOutput(token, minimum, amount);
            amounts[i] = amount;
            // What the receiver gained stays out of the refund.
            if (isOwn) _raise(reserves, token, balance);
        }
    }

    function _payFees(Input[] calldata inputs, address feeReceiver, bool onlyNative) private {
        for (uint256 i = 0; i < inputs.length; ++i) {
            (address token, uint256 amount, uint256 fee) = (inputs[i].token, inputs[i].amount, inputs[i].fee);
            if (fee > amount) revert FeeAboveInput(token, fee, amount);
            if (fee != 0 && (token == NATIVE || !onlyNative)) Tokens.pay(token, feeReceiver, fee);
        }
    }

    function _refund(Reserve[] memory reserves, address to) private {
        if (to == address(0)) revert InvalidReceiver(to);
        if (to == address(this)) return;
        for (uint256 i = 0; i < reserves.length; ++i) _payAbove(reserves[i].token, reserves[i].amount, to);
    }

    function _checkReserves(Reserve[] memory reserves) private view {
        for (uint256 i = 0; i < reserves.length; ++i) {
            uint256 balance = Tokens.balanceOf(reserves[i].token, address(this));
            if (balance < reserves[i].amount) revert ReserveSpent(reserves[i].token, reserves[i].amount, balance);
        }
    }

    function _payAbove(address token, uint256 reserve, address to) private returns (uint256 amount) {
        amount = _above(token, reserve);
        if (amount != 0) Tokens.pay(token, to, amount);
    }

    function _above(address token, uint256 reserve) private view returns (uint256) {
        uint256 balance = Tokens.balanceOf(token, address(this));
        return balance > reserve ? balance - reserve : 0;
    }

    function _reserveOwn(
        Input[] calldata inputs,
        Output[] calldata outputs,
        address[] calldata sweep
    ) private view returns (Reserve[] memory reserves) {
        reserves = _newReserves(inputs.length + outputs.length + sweep.length);
        for (uint256 i = 0; i < inputs.length; ++i) {
            (address token, uint256 amount) = (inputs[i].token, inputs[i].amount);
            (bool found, uint256 index) = _find(reserves, token);
            uint256 held = found ? reserves[index].amount : Tokens.balanceOf(token, address(this));
            if (held < amount) revert InsufficientInput(token, amount, held);
            if (found) reserves[index].amount = held - amount;
            else _reserve(reserves, token, held - amount);
        }
        _reserveRest(reserves, outputs, sweep);
    }

    function _reserveRest(
        Reserve[] memory reserves,
        Output[] calldata outputs,
        address[] calldata sweep
    ) private view {
        for (uint256 i = 0; i < outputs.length; ++i) _reserveAll(reserves, outputs[i].token);
        for (uint256 i = 0; i < sweep.length; ++i) _reserveAll(reserves, sweep[i]);
    }

    function _reserveAll(Reserve[] memory reserves, address token) private view {
        (bool found, ) = _find(reserves, token);
        if (!found) _reserve(reserves, token, Tokens.balanceOf(token, address(this)));
    }

    /// @dev An empty list with room for `size` entries; `_reserve` lets it grow in place.
    function _newReserves(uint256 size) private pure returns (Reserve[] memory reserves) {
        reserves = new Reserve[](size);
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            mstore(reserves, 0)
        }
    }

    function _reserve(Reserve[] memory reserves, address token, uint256 amount) private pure {
        (bool found, ) = _find(reserves, token);
        if (found) return;
        uint256 index = reserves.length;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            mstore(reserves, add(index, 1))
        }
        reserves[index] = Reserve({token: token, amount: amount});
    }

    function _raise(Reserve[] memory reserves, address token, uint256 amount) private pure {
        (, uint256 index) = _find(reserves, token);
        reserves[index].amount = amount;
    }

    function _reserveOf(Reserve[] memory reserves, address token) private pure returns (uint256) {
        (bool found, uint256 index) = _find(reserves, token);
        if (!found) revert UnlistedToken(token);
        return reserves[index].amount;
    }

    function _find(Reserve[] memory reserves, address token) private pure returns (bool, uint256) {
        for (uint256 i = 0; i < reserves.length; ++i) {
            if (reserves[i].token == token) return (true, i);
        }
        return (false, 0);
    }
}
