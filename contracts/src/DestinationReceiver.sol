// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {
    DeadlinePassed,
    InsufficientGas,
    InsufficientOutput,
    InsufficientValue,
    InvalidReceiver,
    MalformedMessage,
    NotRunner,
    WrongDelivery,
    WrongValue
} from "./Errors.sol";
import {Executor} from "./Executor.sol";
import {Tokens} from "./Tokens.sol";
import {NATIVE, Order, Routed} from "./Types.sol";

/**
 * @title Runs an order with tokens that a bridge delivers.
 *
 * Anybody may deliver, so what lies here outside a delivery belongs to nobody: a bridge that pays in one transaction
 * and calls in another (LayerZero) must pay somebody else, see ComposeLanding. Each message has an Executor of its
 * own: nobody can leave an allowance in one that somebody else's message uses. When the order fails, all that was
 * delivered goes to the fallback receiver.
 *
 * message := fallbackReceiver:32 minimumGas:32 minimumValue:32 abi.encode(Order)
 *
 * minimumGas is what the order must be given, so that a delivery cannot be starved into failing; some 200,000 on top
 * are kept back for the fallback. minimumValue is the wei that must come beside the delivered amount, since whoever
 * carries out a delivery may send less than was paid for. The first input of the order is the delivered token, the
 * second NATIVE where a token comes with a minimumValue; there is no other, and none has a fee. What is delivered
 * counts, not the amounts that the inputs state.
 */
contract DestinationReceiver is ReentrancyGuardTransient {
    /// @param payer Holds `amount` of `token`, and has approved this contract unless it is this contract.
    /// @param value Wei beside the amount; they are here.
    struct Delivery {
        address token;
        uint256 amount;
        address payer;
        uint256 value;
        address fallbackReceiver;
        uint256 minimumGas;
        uint256 minimumValue;
        bytes32 messageHash;
    }

    /// Gas that the order cannot use: pays the fallback receiver and logs why.
    uint256 private constant RESERVE = 200_000;
    /// Bytes of the reason for a failure that are copied: the order's steps may return as much as they like.
    uint256 private constant REASON_LENGTH = 512;
    /// Bytes of a message before the order.
    uint256 private constant HEAD_LENGTH = 96;

    address public immutable executorImplementation = address(new Executor());

    /// @param amount As delivered of `token`; of NATIVE without `value`.
    /// @param value Wei that came beside it, and went with it.
    /// @param reason Its first 512 bytes.
    event DeliveryFailed(
        address indexed token,
        uint256 amount,
        uint256 value,
        address indexed fallbackReceiver,
        bytes reason
    );

    /**
     * @notice Takes `amount` of `token` from the caller and runs the message's order with it, all in this call.
     * @param token Token that the caller has approved this contract for, or NATIVE, of which msg.value has `amount`.
     * What msg.value has besides goes with it.
     */
    function deliver(address token, uint256 amount, bytes calldata message) external payable nonReentrant {
        uint256 value = msg.value;
        if (token == NATIVE) {
            if (value < amount) revert WrongValue(amount, value);
            value -= amount;
        }
        _deliver(token, amount, token == NATIVE ? address(this) : msg.sender, value, message);
    }

    /// @notice Across calls this after it has sent `amount` of `token` here, in the same call.
    function handleV3AcrossMessage(
        address token,
        uint256 amount,
        address,
        bytes calldata message
    ) external nonReentrant {
        _deliver(token, amount, address(this), 0, message);
    }

    /// @notice Only for this contract itself: a call of its own, so that a failure undoes all of it.
    /// @param encodedOrder Decoded in here, so that a message without a good order reaches the fallback, too.
    function runDelivery(Delivery calldata delivery, bytes calldata encodedOrder) external {
        if (msg.sender != address(this)) revert NotRunner(msg.sender);
        Order memory order = abi.decode(encodedOrder, (Order));
        if (block.timestamp > order.deadline) revert DeadlinePassed(order.deadline, block.timestamp);
        _checkInputs(delivery, order);
        address executor = Clones.predictDeterministicAddress(executorImplementation, delivery.messageHash);
        _checkReceiver(order.receiver, executor);
        _checkReceiver(order.refundReceiver, executor);
        if (executor.code.length == 0) Clones.cloneDeterministic(executorImplementation, delivery.messageHash);

        uint256[] memory before = new uint256[](order.outputs.length);
        for (uint256 i = 0; i < before.length; ++i) {
            before[i] = Tokens.balanceOf(order.outputs[i].token, order.receiver);
        }
        uint256 native = _payToken(delivery, executor);
        uint256[] memory paid = Executor(payable(executor)).run{value: native}(order);
        for (uint256 i = 0; i < before.length; ++i) {
            (address output, uint256 minimum) = (order.outputs[i].token, order.outputs[i].minimum);
            uint256 balance = Tokens.balanceOf(output, order.receiver);
            uint256 gained = balance > before[i] ? balance - before[i] : 0;
            if (paid.length != 0 && paid[i] < gained) gained = paid[i];
            if (gained < minimum) revert InsufficientOutput(output, minimum, gained);
        }
        emit Routed(order.accountId, order.referralCode, delivery.fallbackReceiver, order.receiver);
    }

    function _deliver(address token, uint256 amount, address payer, uint256 value, bytes calldata message) private {
        if (message.length < HEAD_LENGTH) revert MalformedMessage(message.length);
        (address fallbackReceiver, uint256 minimumGas, uint256 minimumValue) = abi.decode(
            message[:HEAD_LENGTH],
            (address, uint256, uint256)
        );
        if (fallbackReceiver == address(0) || fallbackReceiver == address(this)) {
            revert InvalidReceiver(fallbackReceiver);
        }
        if (value < minimumValue) revert InsufficientValue(minimumValue, value);
        Delivery memory delivery = Delivery({
            token: token,
            amount: amount,
            payer: payer,
            value: value,
            fallbackReceiver: fallbackReceiver,
            minimumGas: minimumGas,
            minimumValue: minimumValue,
            messageHash: keccak256(message)
        });
        bytes memory data = abi.encodeCall(this.runDelivery, (delivery, message[HEAD_LENGTH:]));
        (bool ok, bytes memory reason) = _callWithReserve(data, minimumGas);
        if (ok) return;
        _pay(delivery, fallbackReceiver);
        emit DeliveryFailed(token, amount, value, fallbackReceiver, reason);
    }

    function _pay(Delivery memory delivery, address to) private {
        uint256 native = _payToken(delivery, to);
        if (native != 0) Tokens.pay(NATIVE, to, native);
    }

    /// @dev From wherever it lies, so that a token is moved once.
    /// @return native Wei of the delivery, which are not paid yet.
    function _payToken(Delivery memory delivery, address to) private returns (uint256 native) {
        native = delivery.value;
        if (delivery.token == NATIVE) native += delivery.amount;
        else if (delivery.payer == address(this)) Tokens.pay(delivery.token, to, delivery.amount);
        else Tokens.pull(delivery.token, delivery.payer, to, delivery.amount);
    }

    /// @dev Calls this contract with at least `minimumGas`, and keeps `RESERVE` back whatever the call does.
    function _callWithReserve(bytes memory data, uint256 minimumGas) private returns (bool ok, bytes memory reason) {
        uint256 left = gasleft();
        // A call can be given 63/64 of what is left at most.
        if (left < RESERVE || left - RESERVE < minimumGas || left - left / 64 < minimumGas) {
            revert InsufficientGas(minimumGas, left);
        }
        uint256 given = left - RESERVE;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            ok := call(given, address(), 0, add(data, 0x20), mload(data), 0, 0)
            let size := mul(iszero(ok), returndatasize())
            if gt(size, REASON_LENGTH) {
                size := REASON_LENGTH
            }
            reason := mload(0x40)
            mstore(reason, size)
            returndatacopy(add(reason, 0x20), 0, size)
            mstore(0x40, and(add(add(reason, size), 0x3f), not(0x1f)))
        }
    }

    function _checkInputs(Delivery calldata delivery, Order memory order) private pure {
        bool hasValue = delivery.minimumValue != 0 && delivery.token != NATIVE;
        bool fits = order.inputs.length == (hasValue ? 2 : 1) &&
            order.inputs[0].token == delivery.token &&
            order.inputs[0].fee == 0 &&
            (!hasValue || (order.inputs[1].token == NATIVE && order.inputs[1].fee == 0));
        if (!fits) revert WrongDelivery(delivery.token, delivery.amount);
    }

    function _checkReceiver(address receiver, address executor) private view {
        if (receiver == address(0) || receiver == address(this) || receiver == executor) {
            revert InvalidReceiver(receiver);
        }
    }
}
