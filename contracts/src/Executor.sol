// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {NotRunner, ProgramNotRun, UnexpectedCall} from "./Errors.sol";
import {StepRunner} from "./StepRunner.sol";
import {Tokens} from "./Tokens.sol";
import {Input, LegacyOrder, NATIVE, Order, Output} from "./Types.sol";

/**
 * @title Runs the steps of one sender's orders.
 *
 * Each sender has a clone, so that an allowance which one sender's steps leave behind is worth nothing in
 * another's order. Holds nothing between transactions but ether that was sent to it outside an order. Only the contract
 * that deployed the implementation (the Router) may run it, and gives an order's ether in the call.
 */
contract Executor is StepRunner {
    using SafeERC20 for IERC20;

    address public immutable runner = msg.sender;

    /// Of the running step: who may call back once, and in which token it is paid.
    address private transient _payee;
    address private transient _payToken;

    /// Of the running step: who may call back once to have a program run, and the program's hash.
    address private transient _programCaller;
    bytes32 private transient _programHash;

    receive() external payable {}

    /**
     * @notice The callback of a Uniswap V3-like pool, whatever its name: (int256, int256, bytes).
     * @dev Pays the positive delta to the target of the running step, once.
     */
    // solhint-disable-next-line no-complex-fallback
    fallback() external {
        if (msg.sender != _payee || msg.data.length < 68) revert UnexpectedCall(msg.sender);
        _payee = address(0);
        (int256 delta0, int256 delta1) = abi.decode(msg.data[4:68], (int256, int256));
        if ((delta0 > 0) == (delta1 > 0)) revert UnexpectedCall(msg.sender);
        IERC20(_payToken).safeTransfer(msg.sender, uint256(delta0 > 0 ? delta0 : delta1));
    }

    /// @notice Runs an order whose inputs have arrived, pays the outputs and sends on what is left.
    /// @return paid What this contract sent of each output; empty when the steps pay the outputs.
    function run(Order calldata order) external payable returns (uint256[] memory paid) {
        uint256 held = _run(order.inputs, order.feeReceiver, order.steps);
        if (!order.paidBySteps) paid = _payOutputs(order.outputs, order.receiver);
        _sweep(order.inputs, order.sweep, order.refundReceiver, held);
    }

    /// @notice As `run`; what is left goes to the receiver.
    /// @return paid As of `run`.
    function runLegacy(LegacyOrder calldata order) external payable returns (uint256[] memory paid) {
        uint256 held = _run(order.inputs, order.feeReceiver, order.steps);
        if (!order.paidBySteps) paid = _payOutputs(order.outputs, order.receiver);
        _sweep(order.inputs, order.sweep, order.receiver, held);
    }

    /**
     * @notice Runs the program of the running step, once, when the step's target calls back (a flash loan).
     * @param program As it lies in the call data of the step.
     */
    function runProgram(bytes calldata program) external {
        if (msg.sender != _programCaller || keccak256(program) != _programHash) revert UnexpectedCall(msg.sender);
        _programCaller = address(0);
        _runSteps(program, new Reserve[](0));
    }

    /// @return held Wei that lay here before the order. They are no part of it: whoever sends one could otherwise make
    /// the orders of a sender fail for ever that takes no ether.
    function _run(
        Input[] calldata inputs,
        address feeReceiver,
        bytes calldata steps
    ) private returns (uint256 held) {
        if (msg.sender != runner) revert NotRunner(msg.sender);
        // What came with the call is in the balance.
        unchecked {
            held = address(this).balance - msg.value;
        }
        for (uint256 i = 0; i < inputs.length; ++i) {
            if (inputs[i].token == NATIVE && inputs[i].fee != 0) Tokens.pay(NATIVE, feeReceiver, inputs[i].fee);
        }
        _runSteps(steps, new Reserve[](0));
    }

    function _payOutputs(Output[] calldata outputs, address receiver) private returns (uint256[] memory paid) {
        paid = new uint256[](outputs.length);
        for (uint256 i = 0; i < outputs.length; ++i) paid[i] = _payAll(outputs[i].token, receiver);
    }

    function _sweep(Input[] calldata inputs, address[] calldata tokens, address to, uint256 held) private {
        for (uint256 i = 0; i < inputs.length; ++i) _payRest(inputs[i].token, to, held);
        for (uint256 i = 0; i < tokens.length; ++i) _payRest(tokens[i], to, held);
    }

    function _payRest(address token, address to, uint256 held) private {
        uint256 balance = Tokens.balanceOf(token, address(this));
        if (balance == 0) return;
        if (token == NATIVE) {
            if (balance <= held) return;
            balance -= held;
        }
        Tokens.pay(token, to, balance);
    }

    function _payAll(address token, address to) private returns (uint256 balance) {
        balance = Tokens.balanceOf(token, address(this));
        if (balance != 0) Tokens.pay(token, to, balance);
    }

    function _available(Run memory, address token) internal view override returns (uint256) {
        return Tokens.balanceOf(token, address(this));
    }

    function _expectCallback(uint256, address target, address token) internal override {
        _payee = target;
        _payToken = token;
    }

    function _endCallback() internal override {
        _payee = address(0);
    }

    function _expectProgram(uint256, address target, bytes32 program) internal override {
        _programCaller = target;
        _programHash = program;
    }

    function _endProgram(uint256 step) internal view override {
        if (_programCaller != address(0)) revert ProgramNotRun(step);
    }
}
