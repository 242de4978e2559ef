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
    /// @param minimumGas Gas that the order must be given, so that a delivery cannot be starved into failing.
    struct Delivery {
        Order order;
        address fallbackReceiver;
        uint256 minimumGas;
    }

    address public immutable executorImplementation = address(new Executor());

    event DeliveryFailed(address indexed token, uint256 amount, address indexed fallbackReceiver, bytes reason);

    /// @notice Across calls this after it has sent `amount` of `token` here.
    function handleV3AcrossMessage(
        address token,
        uint256 amount,
        address,
        bytes calldata message
    ) external nonReentrant {
        Delivery memory delivery = abi.decode(message, (Delivery));
        if (delivery.fallbackReceiver == address(0)) revert InvalidReceiver(address(0));
        if (gasleft() < delivery.minimumGas) revert InsufficientGas(delivery.minimumGas, gasleft());
        try this.runDelivery(token, amount, delivery.order, keccak256(message)) {
            emit Routed(
                delivery.order.accountId,
                delivery.order.referralCode,
                delivery.fallbackReceiver,
                delivery.order.receiver
            );
        } catch (bytes memory reason) {
            Tokens.pay(token, delivery.fallbackReceiver, amount);
            emit DeliveryFailed(token, amount, delivery.fallbackReceiver, reason);
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
        Executor(payable(executor)).run(order);
        for (uint256 i = 0; i < before.length; ++i) {
            (address output, uint256 minimum) = (order.outputs[i].token, order.outputs[i].minimum);
            uint256 balance = Tokens.balanceOf(output, order.receiver);
            uint256 gained = balance > before[i] ? balance - before[i] : 0;
            if (gained < minimum) revert InsufficientOutput(output, minimum, gained);
        }
    }

    function _checkReceiver(address receiver, address executor) private view {
        if (receiver == address(0) || receiver == address(this) || receiver == executor) {
            revert InvalidReceiver(receiver);
        }
    }
}
