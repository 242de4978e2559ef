// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BelowMinimum, NegativeDifference} from "../Errors.sol";

/// @title Arithmetic and checks on amounts that are known only on chain, for steps to call. Stateless.
contract Values {
    /// @dev For simulations, which learn amounts on the way from it.
    event Noted(uint256 indexed key, uint256 value);

    /// @notice Emits `value` under a key of the caller's choice.
    /// @return The value itself, so that it can stand in for a check.
    function note(uint256 key, uint256 value) external returns (uint256) {
        emit Noted(key, value);
        return value;
    }

    function sum(uint256[] calldata amounts) external pure returns (uint256 total) {
        for (uint256 i = 0; i < amounts.length; ++i) total += amounts[i];
    }

    function difference(uint256 a, uint256 b) external pure returns (uint256) {
        if (a < b) revert NegativeDifference(a, b);
        return a - b;
    }

    /// @return a * b / c, rounded down.
    function proportion(uint256 a, uint256 b, uint256 c) external pure returns (uint256) {
        return (a * b) / c;
    }

    function lesser(uint256 a, uint256 b) external pure returns (uint256) {
        return a < b ? a : b;
    }

    /// @return The amount itself, so that later steps may refer to what was checked.
    function requireAtLeast(uint256 amount, uint256 minimum) external pure returns (uint256) {
        if (amount < minimum) revert BelowMinimum(amount, minimum);
        return amount;
    }
}
