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
/// @param minimum Raw units. What counts is the difference of the receiver's balance, but no more than what the runner
/// itself paid: somebody else's payment meets no minimum. See `Order.paidBySteps` for the exception.
struct Output {
    address token;
    uint256 minimum;
}

/// @notice One transaction.
/// @param steps Packed program, see StepRunner.
/// @param sweep Tokens besides inputs and outputs that may be left over.
/// @param refundReceiver Gets what is left of inputs and `sweep`.
/// @param paidBySteps True when the steps pay every output to the receiver themselves: the runner then pays nothing and
/// the difference of the receiver's balance alone counts. Only for steps that run no code of strangers, and a receiver
/// whose balance is its own. Accounts pay out what they find all the same.
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

/// @notice An order without event and without a receiver for refunds; fields as those of `Order`.
struct LegacyOrder {
    Input[] inputs;
    address feeReceiver;
    bytes steps;
    Output[] outputs;
    address receiver;
    address[] sweep;
    bool paidBySteps;
    uint256 deadline;
}

/**
 * @notice Emitted once for every order that is not a legacy order.
 * @dev Not proof of anything: anybody can run an order of nothing with any account id, referral code and receiver, and
 * any contract can emit the same event. Whoever pays by it looks at the emitter and at what moved in the transaction.
 * @param accountId As the order says; not checked.
 * @param referralCode As the order says; not checked.
 * @param sender Whose order it is; for deliveries the fallback receiver, as the message says.
 * @param receiver Of the order's outputs.
 */
event Routed(bytes32 indexed accountId, bytes16 indexed referralCode, address indexed sender, address receiver);
