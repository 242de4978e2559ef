// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {
    DeadlinePassed,
    InsufficientGas,
    InsufficientOutput,
    InvalidReceiver,
    NotRunner,
    WrongDelivery
} from "./Errors.sol";
import {Executor} from "./Executor.sol";
import {Tokens} from "./Tokens.sol";
import {Order, Routed} from "./Types.sol";

/**
 * @title Runs an order with tokens that a bridge delivers in the same transaction (Across and alike).
 *
 * Anybody may deliver, so what lies here outside a delivery belongs to nobody. Each message has an Executor of its
 * own: nobody can leave an allowance in one that somebody else's message uses. When the order fails, the delivered
 * token goes to the fallback receiver.
 */
contract DestinationReceiver is ReentrancyGuardTransient {
    /// @param order Its only input is the delivered token, without a fee; the amount delivered counts, not the stated.
    /// @param fallbackReceiver Gets the delivered token when the order fails.
    /// @param minimumGas Gas that the order must be given, so that a delivery cannot be starved into failing. Some
    /// 200,000 on top are kept back for the fallback.
    struct Delivery {
        Order order;
        address fallbackReceiver;
        uint256 minimumGas;
    }

    /// Gas that the order cannot use: pays the fallback receiver and logs why.
    uint256 private constant RESERVE = 200_000;
    /// Bytes of the reason for a failure that are copied: the order's steps may return as much as they like.
    uint256 private constant REASON_LENGTH = 512;

    address public immutable executorImplementation = address(new Executor());

    /// @param reason Its first 512 bytes.
    event DeliveryFailed(address indexed token, uint256 amount, address indexed fallbackReceiver, bytes reason);

    /// @notice Across calls this after it has sent `amount` of `token` here.
    function handleV3AcrossMessage(
        address token,
        uint256 amount,
        address,
        bytes calldata message
    ) external nonReentrant {
        Delivery memory delivery = abi.decode(message, (Delivery));
        Order memory order = delivery.order;
        address fallbackReceiver = delivery.fallbackReceiver;
        if (fallbackReceiver == address(0)) revert InvalidReceiver(address(0));
        bytes memory data = abi.encodeCall(this.runDelivery, (token, amount, order, keccak256(message)));
        (bool ok, bytes memory reason) = _callWithReserve(data, delivery.minimumGas);
        if (ok) {
            emit Routed(order.accountId, order.referralCode, fallbackReceiver, order.receiver);
        } else {
            Tokens.pay(token, fallbackReceiver, amount);
            emit DeliveryFailed(token, amount, fallbackReceiver, reason);
        }
    }

    /// @notice Only for this contract itself: a call of its own, so that a failure undoes all of it.
    function runDelivery(address token, uint256 amount, Order calldata order, bytes32 salt) external {
        if (msg.sender != address(this)) revert NotRunner(msg.sender);
        if (block.timestamp > order.deadline) revert DeadlinePassed(order.deadline, block.timestamp);
        if (order.inputs.length != 1 || order.inputs[0].token != token || order.inputs[0].fee != 0) {
            revert WrongDelivery(token, amount);
        }
        address executor = Clones.predictDeterministicAddress(executorImplementation, salt);
        _checkReceiver(order.receiver, executor);
        _checkReceiver(order.refundReceiver, executor);
        if (executor.code.length == 0) Clones.cloneDeterministic(executorImplementation, salt);

        uint256[] memory before = new uint256[](order.outputs.length);
        for (uint256 i = 0; i < before.length; ++i) {
            before[i] = Tokens.balanceOf(order.outputs[i].token, order.receiver);
        }
        Tokens.pay(token, executor, amount);
        uint256[] memory paid = Executor(payable(executor)).run(order);
        for (uint256 i = 0; i < before.length; ++i) {
            (address output, uint256 minimum) = (order.outputs[i].token, order.outputs[i].minimum);
            uint256 balance = Tokens.balanceOf(output, order.receiver);
            uint256 gained = balance > before[i] ? balance - before[i] : 0;
            if (paid.length != 0 && paid[i] < gained) gained = paid[i];
            if (gained < minimum) revert InsufficientOutput(output, minimum, gained);
        }
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

    function _checkReceiver(address receiver, address executor) private view {
        if (receiver == address(0) || receiver == address(this) || receiver == executor) {
            revert InvalidReceiver(receiver);
        }
    }
}
