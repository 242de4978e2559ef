// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {
    BalanceDecreased,
    BpsOutOfRange,
    ForeignTransferFrom,
    MalformedSteps,
    MissingReturnData,
    NoCode,
    PatchOutOfRange,
    StepFailed,
    UnknownOutput
} from "./Errors.sol";
import {Tokens} from "./Tokens.sol";

/**
 * @title Runs a packed list of steps, each of which may use what earlier steps produced.
 *
 * steps    := count:u8 step*
 * step     := call | transfer | approve
 * call     := kind:u8 target:20 [value:amount] [payToken:20] [word:u8 | outputToken:20]
 *             length:u24 data patches:u8 (offset:u24 amount)* [offset:u24 length:u24]
 * transfer := 0x01 token:20 to:20 amount
 * approve  := 0x02 token:20 spender:20 amount
 * kind     := 0x00 | 0x08 carries a program | 0x10 has a value | 0x20 has a payToken | 0x40 output is a word
 *             | 0x80 output is an increase
 * amount   := n:u8 (0 to 32) n bytes, big-endian | 0x40 token:20 bps:u16 | 0x41 step:u8 bps:u16
 *
 * The output of a transfer or an approve is its amount.
 * 0x40 is the balance that the order may spend, 0x41 the output of an earlier step. A patch writes the
 * 32-byte amount over the call data at `offset`; the selector cannot be patched. All numbers are big-endian.
 *
 * A program is steps of their own, counted from 0, that lie in the patched call data at `offset`. They run once, when
 * the target calls back during the call. They see no outputs but theirs: what earlier steps produced, patches write
 * into the program's literals.
 */
abstract contract StepRunner {
    /// @dev What an account held before the order; not to be spent by it.
    struct Reserve {
        address token;
        uint256 amount;
    }

    struct Run {
        /// Position in the call data of the byte to be read next, and of the first byte behind the steps.
        uint256 position;
        uint256 end;
        uint256 step;
        /// Bit s: step s has an output, which is outputs[s].
        uint256 produced;
        uint256[] outputs;
        Reserve[] reserves;
    }

    uint256 private constant KIND_MASK = 0x07;
    uint256 private constant CALL = 0x00;
    uint256 private constant TRANSFER = 0x01;
    uint256 private constant APPROVE = 0x02;
    uint256 private constant HAS_PROGRAM = 0x08;
    uint256 private constant HAS_VALUE = 0x10;
    uint256 private constant HAS_PAY_TOKEN = 0x20;
    uint256 private constant OUTPUT_WORD = 0x40;
    uint256 private constant OUTPUT_INCREASE = 0x80;

    uint256 private constant AMOUNT_BALANCE = 0x40;
    uint256 private constant AMOUNT_OUTPUT = 0x41;
    uint256 private constant BPS = 10_000;
    uint256 private constant SELECTOR_LENGTH = 4;

    /// @dev The part of the own balance of `token` that the order may spend.
    function _available(Run memory run, address token) internal view virtual returns (uint256);

    /// @dev Lets `target` call back once to be paid in `token`.
    function _expectCallback(uint256 step, address target, address token) internal virtual;

    function _endCallback() internal virtual;

    /// @dev Lets `target` call back once to have the program of that hash run.
    function _expectProgram(uint256 step, address target, bytes32 program) internal virtual;

    /// @dev Reverts when it has not run.
    function _endProgram(uint256 step) internal virtual;

    function _runSteps(bytes calldata steps, Reserve[] memory reserves) internal {
        Run memory run;
        run.reserves = reserves;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            mstore(run, steps.offset)
            mstore(add(run, 0x20), add(steps.offset, steps.length))
        }
        uint256 count = _take(run, 1);
        run.outputs = new uint256[](count);
        for (; run.step < count; ++run.step) {
            uint256 kind = _take(run, 1);
            if (kind & KIND_MASK == CALL) _call(run, kind);
            else if (kind == TRANSFER || kind == APPROVE) _move(run, kind);
            else revert MalformedSteps(run.step);
        }
        if (run.position != run.end) revert MalformedSteps(count);
    }

    function _move(Run memory run, uint256 kind) private {
        address token = _takeAddress(run);
        address to = _takeAddress(run);
        uint256 amount = _takeAmount(run);
        if (kind == TRANSFER) Tokens.pay(token, to, amount);
        else Tokens.approve(token, to, amount);
        _produce(run, amount);
    }

    function _call(Run memory run, uint256 kind) private {
        uint256 step = run.step;
        address target = _takeAddress(run);
        uint256 value = kind & HAS_VALUE == 0 ? 0 : _takeAmount(run);
        address payToken = kind & HAS_PAY_TOKEN == 0 ? address(0) : _takeAddress(run);
        uint256 word = kind & OUTPUT_WORD == 0 ? 0 : _take(run, 1);
        address outputToken = kind & OUTPUT_INCREASE == 0 ? address(0) : _takeAddress(run);
        bytes memory data = _takeData(run);

        if (target.code.length == 0) revert NoCode(step, target);
        _refuseForeignTransferFrom(step, data);
        uint256 before = outputToken == address(0) ? 0 : Tokens.balanceOf(outputToken, address(this));
        if (payToken != address(0)) _expectCallback(step, target, payToken);
        if (kind & HAS_PROGRAM != 0) _expectProgram(step, target, _takeProgram(run, data));
        // solhint-disable-next-line avoid-low-level-calls
        (bool ok, bytes memory result) = target.call{value: value}(data);
        if (!ok) revert StepFailed(step, target, result);
        if (payToken != address(0)) _endCallback();
        if (kind & HAS_PROGRAM != 0) _endProgram(step);

        if (kind & OUTPUT_WORD != 0) {
            if (result.length < (word + 1) * 32) revert MissingReturnData(step, word, result.length);
            uint256 output;
            // solhint-disable-next-line no-inline-assembly
            assembly ("memory-safe") {
                output := mload(add(add(result, 0x20), shl(5, word)))
            }
            _produce(run, output);
        } else if (outputToken != address(0)) {
            uint256 afterwards = Tokens.balanceOf(outputToken, address(this));
            if (afterwards < before) revert BalanceDecreased(step, outputToken, before, afterwards);
            _produce(run, afterwards - before);
        }
    }

    function _produce(Run memory run, uint256 output) private pure {
        run.outputs[run.step] = output;
        run.produced |= 1 << run.step;
    }

    /// @dev Call data with every patch applied.
    function _takeData(Run memory run) private view returns (bytes memory data) {
        uint256 length = _take(run, 3);
        uint256 position = run.position;
        if (length < SELECTOR_LENGTH || position + length > run.end) revert MalformedSteps(run.step);
        run.position = position + length;
        data = new bytes(length);
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            calldatacopy(add(data, 0x20), position, length)
        }
        for (uint256 patches = _take(run, 1); patches != 0; --patches) {
            uint256 offset = _take(run, 3);
            if (offset < SELECTOR_LENGTH || offset + 32 > length) revert PatchOutOfRange(run.step, offset, length);
            uint256 amount = _takeAmount(run);
            // solhint-disable-next-line no-inline-assembly
            assembly ("memory-safe") {
                mstore(add(add(data, 0x20), offset), amount)
            }
        }
    }

    /// @dev Hash of the program within `data`.
    function _takeProgram(Run memory run, bytes memory data) private pure returns (bytes32 program) {
        uint256 offset = _take(run, 3);
        uint256 length = _take(run, 3);
        if (offset + length > data.length) revert PatchOutOfRange(run.step, offset, data.length);
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            program := keccak256(add(add(data, 0x20), offset), length)
        }
    }

    function _takeAmount(Run memory run) private view returns (uint256 amount) {
        uint256 kind = _take(run, 1);
        if (kind <= 32) return _take(run, kind);
        if (kind == AMOUNT_BALANCE) {
            amount = _available(run, _takeAddress(run));
        } else if (kind == AMOUNT_OUTPUT) {
            uint256 referred = _take(run, 1);
            // Only steps that have run have their bit, so a reference forward fails here too.
            if ((run.produced >> referred) & 1 == 0) revert UnknownOutput(run.step, referred);
            amount = run.outputs[referred];
        } else {
            revert MalformedSteps(run.step);
        }
        uint256 bps = _take(run, 2);
        if (bps > BPS) revert BpsOutOfRange(run.step, bps);
        if (bps != BPS) amount = Math.mulDiv(amount, bps, BPS);
    }

    function _takeAddress(Run memory run) private pure returns (address) {
        return address(uint160(_take(run, 20)));
    }

    /// @dev The next `size` bytes (0 to 32) as a number.
    function _take(Run memory run, uint256 size) private pure returns (uint256 value) {
        uint256 position = run.position;
        // Both are small: a position in the call data, and a size of 32 at most.
        unchecked {
            if (position + size > run.end) revert MalformedSteps(run.step);
            run.position = position + size;
        }
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            value := shr(sub(256, shl(3, size)), calldataload(position))
        }
    }

    /// @dev An allowance that somebody gave to this account by mistake must not become loot.
    function _refuseForeignTransferFrom(uint256 step, bytes memory data) private view {
        if (bytes4(data) != IERC20.transferFrom.selector) return;
        address from;
        // Old tokens read missing call data as zeros and ignore the upper bytes of an address.
        if (data.length >= 36) {
            // solhint-disable-next-line no-inline-assembly
            assembly ("memory-safe") {
                from := and(mload(add(data, 0x24)), 0xffffffffffffffffffffffffffffffffffffffff)
            }
        }
        if (from != address(this)) revert ForeignTransferFrom(step, from);
    }
}
