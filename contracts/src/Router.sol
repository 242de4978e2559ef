// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {DeadlinePassed, FeeAboveInput, InsufficientOutput, InvalidReceiver, WrongValue} from "./Errors.sol";
import {Executor} from "./Executor.sol";
import {Swaps} from "./Swaps.sol";
import {Tokens} from "./Tokens.sol";
import {Input, LegacyOrder, NATIVE, Order, Output, Routed} from "./Types.sol";

/**
 * @title The only contract that users approve.
 *
 * No owner, no upgrade, no settings. Takes tokens from msg.sender only and makes no call that the caller chose:
 * its calls are transferFrom(msg.sender, ...), permit(msg.sender, this, ...) and balanceOf on tokens, and `run` on
 * msg.sender's own Executor.
 */
contract Router is Swaps {
    address public immutable executorImplementation = address(new Executor());

    /// @notice Runs an order of msg.sender.
    /// @return amountsOut What the receiver gained of each output, see `Output.minimum`.
    function execute(Order calldata order) external payable alone returns (uint256[] memory amountsOut) {
        return _execute(order);
    }

    /**
     * @notice As `execute`; the allowance for the first input comes by msg.sender's signature (EIP-2612) for this
     * contract, over exactly `amount` of the input, valid until the order's deadline.
     * @dev A permit that fails is passed over: anybody may have submitted the signature before, and then the allowance
     * is there. If it is not, the input cannot be taken.
     * @return amountsOut As of `execute`.
     */
    function executeWithPermit(
        Order calldata order,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external payable alone returns (uint256[] memory amountsOut) {
        (address token, uint256 amount) = (order.inputs[0].token, order.inputs[0].amount);
        // solhint-disable-next-line no-empty-blocks
        try IERC20Permit(token).permit(msg.sender, address(this), amount, order.deadline, v, r, s) {} catch {}
        return _execute(order);
    }

    /// @notice As `execute`, without event; what is left over goes to the receiver.
    /// @return amountsOut As of `execute`.
    function executeLegacy(
        LegacyOrder calldata order
    ) external payable alone returns (uint256[] memory amountsOut) {
        address executor = _prepare(order.inputs, order.feeReceiver, order.deadline);
        _checkReceiver(order.receiver, executor);
        amountsOut = _run(executor, Executor.runLegacy.selector, order.outputs, order.receiver);
    }

    /// @notice The Executor of a sender, deployed or not.
    function executorOf(address sender) public view returns (address) {
        return Clones.predictDeterministicAddress(executorImplementation, _salt(sender));
    }

    function _execute(Order calldata order) private returns (uint256[] memory amountsOut) {
        address executor = _prepare(order.inputs, order.feeReceiver, order.deadline);
        _checkReceiver(order.receiver, executor);
        _checkReceiver(order.refundReceiver, executor);
        amountsOut = _run(executor, Executor.run.selector, order.outputs, order.receiver);
        emit Routed(order.accountId, order.referralCode, msg.sender, order.receiver);
    }

    /// @dev Moves fees and inputs to where they belong; native fees are paid by the Executor.
    function _prepare(
        Input[] calldata inputs,
        address feeReceiver,
        uint256 deadline
    ) private returns (address executor) {
        if (block.timestamp > deadline) revert DeadlinePassed(deadline, block.timestamp);
        executor = executorOf(msg.sender);
        if (executor.code.length == 0) Clones.cloneDeterministic(executorImplementation, _salt(msg.sender));

        uint256 value = 0;
        for (uint256 i = 0; i < inputs.length; ++i) {
            (address token, uint256 amount, uint256 fee) = (inputs[i].token, inputs[i].amount, inputs[i].fee);
            if (fee > amount) revert FeeAboveInput(token, fee, amount);
            if (token == NATIVE) {
                value += amount;
                continue;
            }
            if (fee != 0) Tokens.pull(token, msg.sender, feeReceiver, fee);
            Tokens.pull(token, msg.sender, executor, amount - fee);
        }
        if (msg.value != value) revert WrongValue(value, msg.value);
    }

    /// @dev Nothing may stay in the Router or in an Executor.
    function _checkReceiver(address receiver, address executor) private view {
        if (receiver == address(0) || receiver == address(this) || receiver == executor) {
            revert InvalidReceiver(receiver);
        }
    }

    /// @dev The Executor gets the caller's own order, byte for byte, under its own selector, and says what it paid. It
    /// finds the order by its offset, and so past further arguments.
    function _run(
        address executor,
        bytes4 selector,
        Output[] calldata outputs,
        address receiver
    ) private returns (uint256[] memory amounts) {
        amounts = new uint256[](outputs.length);
        for (uint256 i = 0; i < outputs.length; ++i) amounts[i] = Tokens.balanceOf(outputs[i].token, receiver);

        // solhint-disable-next-line avoid-low-level-calls
        (bool ok, bytes memory result) = executor.call{value: msg.value}(abi.encodePacked(selector, msg.data[4:]));
        if (!ok) {
            // solhint-disable-next-line no-inline-assembly
            assembly ("memory-safe") {
                revert(add(result, 0x20), mload(result))
            }
        }
        uint256[] memory paid = abi.decode(result, (uint256[]));

        for (uint256 i = 0; i < outputs.length; ++i) {
            (address token, uint256 minimum) = (outputs[i].token, outputs[i].minimum);
            uint256 balance = Tokens.balanceOf(token, receiver);
            uint256 amount = balance > amounts[i] ? balance - amounts[i] : 0;
            if (paid.length != 0 && paid[i] < amount) amount = paid[i];
            if (amount < minimum) revert InsufficientOutput(token, minimum, amount);
            amounts[i] = amount;
        }
    }

    function _salt(address sender) private pure returns (bytes32) {
        return bytes32(uint256(uint160(sender)));
    }
}
