// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {
    AmountOutOfRange,
    CallbackNotUsed,
    DeadlinePassed,
    FeeAboveInput,
    InsufficientOutput,
    MalformedSwap,
    NativeTransferFailed,
    PartialFill,
    UnexpectedCall,
    WrongValue
} from "./Errors.sol";
import {Head, Hop, SwapOrders} from "./SwapOrders.sol";
import {Tokens} from "./Tokens.sol";
import {NATIVE, Routed} from "./Types.sol";
import {IUniswapV3Pool} from "./helpers/CallbackPayer.sol";
import {IUniswapV2Pair} from "./helpers/UniswapV2Swapper.sol";
import {
    IPoolManager,
    MAX_SQRT_PRICE_LIMIT,
    MIN_SQRT_PRICE_LIMIT,
    PoolKey,
    SwapParams
} from "./helpers/UniswapV4Swapper.sol";

interface IWrappedNative {
    function deposit() external payable;
    function withdraw(uint256 amount) external;
}

/// @dev Adjacent V4 hops, which share one unlock.
/// @param token Input of the first of them; zero for ether.
/// @param payer The sender, or this contract.
/// @param amountIn Raw units that the first of them takes, exactly.
/// @param recipient Of the output of the last of them.
/// @param before Family of the hop before the first of them.
/// @param tokenOut Of the last of them, where it ends its leg.
struct Batch {
    address token;
    address payer;
    uint256 amountIn;
    address recipient;
    address tokenOut;
    uint256 before;
}

/**
 * @title Swaps over pools of Uniswap V2, V3 and V4 and their forks, without an Executor.
 *
 * Whom a pool may have pay is only ever msg.sender of the running swap, or this contract itself, which holds nothing
 * between transactions. A pool is paid by its callback, and the callback is believed only when it comes from the very
 * address that was called, with the very words that were handed to it: their hash lies in transient storage.
 *
 * This contract calls, on addresses from the order, these functions and no others: `swap` of V2 and V3, `getReserves`,
 * `unlock`, `sync`, `settle`, `take`, `swap` of V4, `deposit`, `withdraw`, `transfer`, `balanceOf`, and `transferFrom`
 * from msg.sender of the swap.
 */
abstract contract Swaps {
    uint256 private constant IDLE = 0;
    uint256 private constant BUSY = 1;
    /// @dev Ether is accepted in this state only.
    uint256 private constant UNWRAPPING = 2;
    /// @dev Says by its lowest bit what kind of callback a commitment is for, so that the words of one kind cannot be
    /// read as those of the other.
    uint256 private constant UNLOCK = 1;

    uint256 private constant BPS = 10_000;
    uint256 private constant SELECTOR_LENGTH = 4;

    /// IDLE, BUSY, UNWRAPPING, or the commitment to one callback.
    uint256 private transient _state;

    /// @dev One order at a time, whichever entry point it came through.
    modifier alone() {
        if (_state != IDLE) revert ReentrancyGuardTransient.ReentrancyGuardReentrantCall();
        _state = BUSY;
        _;
        _state = IDLE;
    }

    /// @dev Ether from the wrapped native token.
    receive() external payable {
        if (_state != UNWRAPPING) revert UnexpectedCall(msg.sender);
    }

    /**
     * @notice Pays a pool of the Uniswap V3 kind, whatever its callback's name: (int256, int256, bytes).
     * @dev The bytes are token, payer and what is owed, a word each.
     */
    // solhint-disable-next-line no-complex-fallback
    fallback() external {
        uint256 commitment;
        address token;
        address payer;
        uint256 amount;
        uint256 owed;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            let words := mload(0x40)
            calldatacopy(words, 132, 96)
            mstore(add(words, 96), caller())
            commitment := and(keccak256(words, 128), not(1))
            token := mload(words)
            payer := mload(add(words, 32))
            amount := mload(add(words, 64))
            // Of the two deltas one is what the pool has paid, below zero.
            owed := calldataload(4)
            if slt(owed, 1) { owed := calldataload(36) }
        }
        if (_state != commitment) revert UnexpectedCall(msg.sender);
        _state = BUSY;
        if (owed != amount) revert PartialFill(amount, owed);
        _pay(token, payer, msg.sender, amount);
    }

    /**
     * @notice Swaps what is packed behind the selector, see SwapOrders.
     * @return amountOut What the receiver gained, raw units of tokenOut.
     */
    function swap() external payable alone returns (uint256 amountOut) {
        (Head memory head, uint256 next) = SwapOrders.readHead(SELECTOR_LENGTH);
        if (head.deadline != 0 && block.timestamp > head.deadline) {
            revert DeadlinePassed(head.deadline, block.timestamp);
        }
        uint256 amountIn = _takeInput(head);

        bool isUnwrapped = head.flags & SwapOrders.UNWRAP != 0;
        address measured = head.tokenOut == address(0) ? NATIVE : head.tokenOut;
        uint256 before = isUnwrapped ? 0 : Tokens.balanceOf(measured, head.receiver);
        amountOut = _runLegs(head, next, amountIn);
        if (isUnwrapped) {
            _state = UNWRAPPING;
            IWrappedNative(head.tokenOut).withdraw(amountOut);
            _state = BUSY;
            Tokens.pay(NATIVE, head.receiver, amountOut);
        } else {
            uint256 balance = Tokens.balanceOf(measured, head.receiver);
            uint256 gained = balance > before ? balance - before : 0;
            // Somebody else's payment to the receiver is not the sender's.
            if (gained < amountOut) amountOut = gained;
        }
        if (amountOut < head.minimum) revert InsufficientOutput(measured, head.minimum, amountOut);

        emit Routed(head.accountId, head.referralCode, msg.sender, head.receiver);
    }

    /// @notice Called by a V4 PoolManager once it is unlocked: runs adjacent hops, pays the first and takes the last.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (_state != _unlockOf(msg.sender, data)) revert UnexpectedCall(msg.sender);
        _state = BUSY;
        return abi.encode(_swapUnlocked(IPoolManager(msg.sender), data));
    }

    /// @dev Pays the fee and wraps; tokens stay with the sender until a pool is paid.
    /// @return amount What is left to swap.
    function _takeInput(Head memory head) private returns (uint256 amount) {
        uint256 flags = head.flags;
        bool isNative = flags & (SwapOrders.WRAP | SwapOrders.ETHER) != 0;
        if (!isNative && msg.value != 0) revert WrongValue(0, msg.value);
        amount = head.amountIn;
        if (flags & SwapOrders.HAS_FEE != 0) {
            uint256 fee = head.fee;
            if (fee > amount) revert FeeAboveInput(head.tokenIn, fee, amount);
            amount -= fee;
            if (isNative) Tokens.pay(NATIVE, head.feeReceiver, fee);
            else Tokens.pull(head.tokenIn, msg.sender, head.feeReceiver, fee);
        }
        if (flags & SwapOrders.WRAP != 0) _deposit(head.tokenIn, amount);
    }

    /// @dev An address without code takes the ether and gives no tokens: then no pool can be paid.
    function _deposit(address token, uint256 amount) private {
        bytes4 selector = IWrappedNative.deposit.selector;
        bool ok;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            mstore(0x00, selector)
            ok := call(gas(), token, amount, 0x00, 0x04, 0x00, 0x00)
        }
        if (!ok) revert NativeTransferFailed(token, amount);
    }

    /// @return total What the pools say that they have sent to the receiver, or here where it is unwrapped.
    function _runLegs(Head memory head, uint256 position, uint256 left) private returns (uint256 total) {
        // Amounts have 128 bits, and there are fewer legs than bytes.
        unchecked {
            do {
                (Hop memory hop, uint256 next) = SwapOrders.readHop(position, SwapOrders.NONE);
                uint256 share = hop.share;
                uint256 amount = share == 0 ? left : (left * share) / BPS;
                left -= amount;
                (amount, position) = _runLeg(head, hop, position, next, amount);
                total += amount;
                // The last leg, and only the last, takes all that is left.
                if ((share == 0) != (position == msg.data.length)) revert MalformedSwap(position);
            } while (position != msg.data.length);
        }
    }

    /// @param hop The leg's first hop, which stands at `position`.
    /// @param next Position behind it.
    function _runLeg(
        Head memory head,
        Hop memory hop,
        uint256 position,
        uint256 next,
        uint256 amount
    ) private returns (uint256 amountOut, uint256 end) {
        address payer = head.flags & SwapOrders.WRAP != 0 ? address(this) : msg.sender;
        address token = head.tokenIn;
        uint256 family = hop.family;
        uint256 before = SwapOrders.NONE;
        if (family < SwapOrders.V3) _pay(token, payer, hop.target, amount);
        while (true) {
            bool isLast = hop.isLast;
            if (family == SwapOrders.V3) {
                amount = _swapV3(hop, token, payer, amount, _recipient(head, isLast, next));
            } else if (family == SwapOrders.V4) {
                Batch memory batch = Batch(token, payer, amount, address(0), head.tokenOut, before);
                (amount, isLast, next) = _swapV4(head, batch, position);
            } else {
                amount = _swapV2(hop, amount, _recipient(head, isLast, next));
            }
            if (amount >> 128 != 0) revert AmountOutOfRange(amount);
            if (isLast) break;
            (position, before) = (next, family);
            (hop, next) = SwapOrders.readHop(position, before);
            (family, token, payer) = (hop.family, hop.tokenIn, address(this));
        }
        return (amount, next);
    }

    /// @dev A pair wants to be paid before it is called; whatever else comes next is paid from here.
    function _recipient(Head memory head, bool isLast, uint256 next) private view returns (address) {
        if (isLast) return head.flags & SwapOrders.UNWRAP != 0 ? address(this) : head.receiver;
        return SwapOrders.familyAt(next) < SwapOrders.V3 ? SwapOrders.readAddress(next + 1) : address(this);
    }

    /// @param amountIn What has been sent to the pair; a measured hop looks what has arrived.
    function _swapV2(Hop memory hop, uint256 amountIn, address recipient) private returns (uint256 amountOut) {
        IUniswapV2Pair pair = IUniswapV2Pair(hop.target);
        (uint256 reserveIn, uint256 reserveOut, ) = pair.getReserves();
        if (!hop.zeroForOne) (reserveIn, reserveOut) = (reserveOut, reserveIn);
        if (hop.family == SwapOrders.V2_MEASURED) {
            amountIn = Tokens.balanceOf(hop.tokenIn, hop.target) - reserveIn;
            if (amountIn >> 128 != 0) revert AmountOutOfRange(amountIn);
        }
        // 128 and 14 and 112 bits.
        unchecked {
            uint256 afterFee = amountIn * (BPS - hop.fee);
            amountOut = (afterFee * reserveOut) / (reserveIn * BPS + afterFee);
        }
        if (hop.zeroForOne) pair.swap(0, amountOut, recipient, "");
        else pair.swap(amountOut, 0, recipient, "");
    }

    function _swapV3(
        Hop memory hop,
        address token,
        address payer,
        uint256 amount,
        address recipient
    ) private returns (uint256) {
        address pool = hop.target;
        bool zeroForOne = hop.zeroForOne;
        bytes4 selector = IUniswapV3Pool.swap.selector;
        uint256 limit = zeroForOne ? MIN_SQRT_PRICE_LIMIT : MAX_SQRT_PRICE_LIMIT;
        uint256 commitment;
        uint256 words;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            words := mload(0x40)
            mstore(add(words, 0x20), selector)
            mstore(add(words, 0x24), recipient)
            mstore(add(words, 0x44), zeroForOne)
            mstore(add(words, 0x64), amount)
            mstore(add(words, 0x84), limit)
            mstore(add(words, 0xa4), 0xa0)
            mstore(add(words, 0xc4), 0x60)
            mstore(add(words, 0xe4), token)
            mstore(add(words, 0x104), payer)
            mstore(add(words, 0x124), amount)
            // Behind the call data: the last word of what is hashed.
            mstore(add(words, 0x144), pool)
            commitment := and(keccak256(add(words, 0xe4), 128), not(1))
        }
        _state = commitment;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            let pointer := add(words, 0x20)
            if iszero(call(gas(), pool, 0, pointer, 0x124, 0x00, 0x40)) {
                returndatacopy(pointer, 0, returndatasize())
                revert(pointer, returndatasize())
            }
            // An address without code returns nothing, and asks for nothing either: the state tells.
            amount := sub(0, mload(shl(5, zeroForOne)))
        }
        if (_state != BUSY) revert CallbackNotUsed(pool);
        return amount;
    }

    /// @dev All adjacent V4 hops, in one unlock.
    /// @param position Position of the first of them.
    /// @return The output of the last of them, whether it ends the leg, and the position behind it.
    function _swapV4(
        Head memory head,
        Batch memory batch,
        uint256 position
    ) private returns (uint256, bool, uint256) {
        (Hop memory hop, uint256 next) = SwapOrders.readHop(position, batch.before);
        address manager = hop.target;
        while (!hop.isLast && SwapOrders.familyAt(next) == SwapOrders.V4) {
            (hop, next) = SwapOrders.readHop(next, SwapOrders.V4);
        }
        batch.recipient = _recipient(head, hop.isLast, next);
        bytes memory data = bytes.concat(abi.encode(batch), msg.data[position:next]);
        _state = _unlockOf(manager, data);
        bytes memory result = IPoolManager(manager).unlock(data);
        if (_state != BUSY) revert CallbackNotUsed(manager);
        return (abi.decode(result, (uint256)), hop.isLast, next);
    }

    /// @param data A batch and its hops, as `_swapV4` packs them.
    function _swapUnlocked(IPoolManager manager, bytes calldata data) private returns (uint256 amount) {
        Batch memory batch = abi.decode(data, (Batch));
        uint256 position;
        uint256 end;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            position := add(data.offset, 192)
            end := add(data.offset, data.length)
        }
        address token = batch.token;
        address current = token;
        amount = batch.amountIn;
        uint256 spent = 0;
        do {
            (Hop memory hop, uint256 next) = SwapOrders.readHop(position, batch.before);
            (position, batch.before) = (next, SwapOrders.V4);
            address tokenOut = hop.isLast ? batch.tokenOut : hop.tokenOut;
            uint256 taken;
            (taken, amount) = _swapV4Pool(manager, hop, current, tokenOut, amount);
            if (current == token) spent = taken;
            current = tokenOut;
        } while (position < end);
        _settle(manager, batch, spent);
        manager.take(current, batch.recipient, amount);
    }

    function _settle(IPoolManager manager, Batch memory batch, uint256 spent) private {
        (address token, uint256 amountIn) = (batch.token, batch.amountIn);
        if (spent != amountIn) revert PartialFill(amountIn, spent);
        if (token == address(0)) {
            manager.settle{value: amountIn}();
        } else {
            manager.sync(token);
            _pay(token, batch.payer, address(manager), amountIn);
            manager.settle();
        }
    }

    function _swapV4Pool(
        IPoolManager manager,
        Hop memory hop,
        address from,
        address to,
        uint256 amount
    ) private returns (uint256 spent, uint256 amountOut) {
        bool zeroForOne = from < to;
        int256 delta = manager.swap(
            PoolKey({
                currency0: zeroForOne ? from : to,
                currency1: zeroForOne ? to : from,
                fee: hop.fee,
                tickSpacing: hop.tickSpacing,
                hooks: address(0)
            }),
            SwapParams({
                zeroForOne: zeroForOne,
                amountSpecified: -int256(amount),
                sqrtPriceLimitX96: zeroForOne ? MIN_SQRT_PRICE_LIMIT : MAX_SQRT_PRICE_LIMIT
            }),
            ""
        );
        // The upper half of the delta is currency0, the lower currency1; negative is owed to the manager.
        (int256 delta0, int256 delta1) = (delta >> 128, int128(delta));
        unchecked {
            (spent, amountOut) = zeroForOne
                ? (uint256(-delta0), uint256(delta1))
                : (uint256(-delta1), uint256(delta0));
        }
    }

    function _pay(address token, address payer, address to, uint256 amount) private {
        if (payer == address(this)) Tokens.pay(token, to, amount);
        else Tokens.pull(token, payer, to, amount);
    }

    function _unlockOf(address manager, bytes memory data) private pure returns (uint256) {
        return _commitment(abi.encodePacked(manager, data)) | UNLOCK;
    }

    function _commitment(bytes memory words) private pure returns (uint256) {
        return uint256(keccak256(words));
    }
}
