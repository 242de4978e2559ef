// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev Stands for the native token wherever a token address is expected.
address constant NATIVE = 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE;

/// @notice What is taken from the sender.
/// @param token Token, or NATIVE for msg.value.
/// @param amount Raw units, fee included.
/// @param fee Part of `amount` that goes to the fee receiver before any step runs.
struct Input {
    address token;
    uint256 amount;
    uint256 fee;
}

/// @notice What the receiver must have gained at the end.
/// @param token Token, or NATIVE.
/// @param minimum Raw units, by the difference of the receiver's balance.
struct Output {
    address token;
    uint256 minimum;
}

/// @notice One transaction.
/// @param steps Packed program, see StepRunner.
/// @param sweep Tokens besides inputs and outputs that may be left over.
/// @param refundReceiver Gets what is left of inputs and `sweep`.
/// @param paidBySteps True when the steps pay every output to the receiver themselves, so that the Executor need not
/// look for it. Accounts look all the same.
/// @param deadline Unix seconds; the transaction reverts after it.
struct Order {
    Input[] inputs;
    address feeReceiver;
    bytes steps;
    Output[] outputs;
    address receiver;
    address refundReceiver;
    address[] sweep;
    bool paidBySteps;
    uint256 deadline;
    bytes32 accountId;
    bytes16 referralCode;
}

/// @notice An order without event and without a receiver for refunds.
struct LegacyOrder {
    Input[] inputs;
    address feeReceiver;
    bytes steps;
    Output[] outputs;
    address receiver;
    address[] sweep;
    uint256 deadline;
}

/// @notice Emitted once for every order that is not a legacy order.
event Routed(bytes32 indexed accountId, bytes16 indexed referralCode, address indexed sender, address receiver);
