// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {InvalidReceiver, MalformedSwap} from "./Errors.sol";

/// @dev What stands at the beginning of a packed swap.
/// @param flags See SwapOrders.
/// @param deadline Unix seconds; zero where none is given.
/// @param amountIn Raw units taken from the sender, fee included; of ether msg.value.
/// @param minimum Raw units of tokenOut that the receiver must gain.
/// @param tokenIn With WRAP the wrapped token; zero for ether that goes into V4 pools as it is.
/// @param tokenOut Zero for ether, as V4 pools pay it; with UNWRAP the wrapped token.
/// @param accountId For the event.
/// @param referralCode For the event.
/// @param receiver The sender where none is given.
/// @param feeReceiver Gets the fee before anything is swapped.
/// @param fee Raw units of the input, part of amountIn.
struct Head {
    uint256 flags;
    uint256 deadline;
    uint256 amountIn;
    uint256 minimum;
    address tokenIn;
    address tokenOut;
    bytes32 accountId;
    bytes16 referralCode;
    address receiver;
    address feeReceiver;
    uint256 fee;
}

/// @dev One hop of a leg; what its kind does not have is zero.
/// @param family V2, V2_MEASURED, V3 or V4.
/// @param zeroForOne The input is the pool's token0; not of V4, where it follows from the tokens.
/// @param isLast It ends its leg.
/// @param share Basis points of what earlier legs have left of the input; zero for all of it.
/// @param target The pair, the pool or the PoolManager. Zero for a V4 hop within the unlock of the one before it.
/// @param tokenIn Where it does not follow from the order, or the pair's balance of it is to be read.
/// @param tokenOut Of a V4 hop that is not the last one of its leg.
/// @param fee Of a pair in 1/10_000, of a V4 pool in 1/1_000_000.
/// @param tickSpacing Of a V4 pool.
struct Hop {
    uint256 family;
    bool zeroForOne;
    bool isLast;
    uint256 share;
    address target;
    address tokenIn;
    address tokenOut;
    uint24 fee;
    int24 tickSpacing;
}

/**
 * @title Reads packed swaps, byte by byte, from the call data.
 *
 * order := flags:u8 [deadline:u32] [amountIn:u128] minimum:u128 [tokenIn:20] tokenOut:20
 *          [accountId:32 referralCode:16] [receiver:20] [feeReceiver:20 fee:u128] leg*
 * leg   := hop*
 * hop   := kind:u8 [share:u16] rest
 * rest  := V2           pair:20 fee:u16
 *          V2, measured pair:20 fee:u16 tokenIn:20
 *          V3           pool:20 [tokenIn:20]
 *          V4           [manager:20 [tokenIn:20]] fee:u24 tickSpacing:i24 [tokenOut:20]
 * kind  := family (bits 0 and 1) | zeroForOne 0x04, not of V4 | share 0x40 | last hop of its leg 0x80
 *
 * flags := HAS_DEADLINE 0x01 | WRAP 0x02 | UNWRAP 0x04 | HAS_TAGS 0x08 | HAS_RECEIVER 0x10 | HAS_FEE 0x20
 *          | ETHER 0x40
 *
 * With WRAP or ETHER amountIn is msg.value and stands nowhere else; with ETHER tokenIn is zero and stands nowhere. Both
 * together mean nothing. A share stands at the first hop of every leg but the last. tokenIn of a V3 hop and of the
 * first of adjacent V4 hops stands where the hop is not the first of its leg; a manager at the first of adjacent V4
 * hops; tokenOut of a V4 hop where the leg goes on. All numbers are big-endian. Whatever reads differently is refused.
 */
library SwapOrders {
    uint256 internal constant HAS_DEADLINE = 0x01;
    uint256 internal constant WRAP = 0x02;
    uint256 internal constant UNWRAP = 0x04;
    uint256 internal constant HAS_TAGS = 0x08;
    uint256 internal constant HAS_RECEIVER = 0x10;
    uint256 internal constant HAS_FEE = 0x20;
    uint256 internal constant ETHER = 0x40;
    uint256 private constant UNKNOWN_FLAGS = 0x80;
    uint256 private constant RARE_FLAGS = HAS_TAGS | HAS_RECEIVER | HAS_FEE | ETHER | UNKNOWN_FLAGS;

    uint256 internal constant V2 = 0;
    uint256 internal constant V2_MEASURED = 1;
    uint256 internal constant V3 = 2;
    uint256 internal constant V4 = 3;
    /// @dev Before the first hop of a leg.
    uint256 internal constant NONE = 4;

    uint256 private constant FAMILY = 0x03;
    uint256 private constant ZERO_FOR_ONE = 0x04;
    uint256 private constant UNKNOWN_KIND = 0x38;
    uint256 private constant HAS_SHARE = 0x40;
    uint256 private constant RARE_KIND = UNKNOWN_KIND | HAS_SHARE;
    uint256 private constant LAST = 0x80;
    uint256 private constant BPS = 10_000;

    /// @param position Position in the call data of the order's first byte.
    /// @return head What it says.
    /// @return next Position of its first leg.
    function readHead(uint256 position) internal view returns (Head memory head, uint256 next) {
        // Positions in the call data are small.
        unchecked {
            uint256 flags = read(position, 1);
            head.flags = flags;
            next = position + 1;
            if (flags & HAS_DEADLINE != 0) {
                head.deadline = read(next, 4);
                next += 4;
            }
            if (flags & (WRAP | ETHER) == 0) {
                head.amountIn = read(next, 16);
                next += 16;
            } else {
                head.amountIn = msg.value;
            }
            head.minimum = read(next, 16);
            next += 16;
            if (flags & ETHER == 0) {
                head.tokenIn = readAddress(next);
                next += 20;
            }
            head.tokenOut = readAddress(next);
            next += 20;
            head.receiver = msg.sender;
            if (flags & RARE_FLAGS != 0) next = _readRare(head, flags, position, next);
            if (next >= msg.data.length) revert MalformedSwap(next);
        }
    }

    function _readRare(Head memory head, uint256 flags, uint256 position, uint256 next) private view returns (uint256) {
        unchecked {
            bool isBoth = flags & (WRAP | ETHER) == WRAP | ETHER;
            if (isBoth || flags & UNKNOWN_FLAGS != 0) revert MalformedSwap(position);
            if (flags & HAS_TAGS != 0) {
                head.accountId = bytes32(read(next, 32));
                head.referralCode = bytes16(uint128(read(next + 32, 16)));
                next += 48;
            }
            if (flags & HAS_RECEIVER != 0) {
                address receiver = readAddress(next);
                if (receiver == address(0) || receiver == address(this)) revert InvalidReceiver(receiver);
                head.receiver = receiver;
                next += 20;
            }
            if (flags & HAS_FEE != 0) {
                head.feeReceiver = readAddress(next);
                head.fee = read(next + 20, 16);
                next += 36;
            }
            return next;
        }
    }

    /// @param position Position of the hop's first byte.
    /// @param before Family of the hop before it in its leg, or NONE.
    /// @return hop What it says.
    /// @return next Position behind it.
    function readHop(uint256 position, uint256 before) internal pure returns (Hop memory hop, uint256 next) {
        // Positions in the call data are small.
        unchecked {
            uint256 kind = read(position, 1);
            uint256 family = kind & FAMILY;
            hop.family = family;
            hop.isLast = kind & LAST != 0;
            hop.zeroForOne = kind & ZERO_FOR_ONE != 0;
            next = position + 1;
            if (kind & RARE_KIND != 0) {
                if (kind & UNKNOWN_KIND != 0 || before != NONE) revert MalformedSwap(position);
                hop.share = read(next, 2);
                if (hop.share == 0 || hop.share >= BPS) revert MalformedSwap(position);
                next += 2;
            }
            if (family == V4) {
                next = _readV4(hop, next, before);
                if (hop.zeroForOne) revert MalformedSwap(position);
            } else {
                hop.target = readAddress(next);
                next += 20;
                if (family != V3) {
                    hop.fee = uint24(read(next, 2));
                    if (hop.fee >= BPS) revert MalformedSwap(position);
                    next += 2;
                }
                if (family == V2_MEASURED || (family == V3 && before != NONE)) {
                    hop.tokenIn = readAddress(next);
                    next += 20;
                }
            }
            // Behind the end everything reads as zero, which would be hops without end.
            if (next > msg.data.length) revert MalformedSwap(position);
        }
    }

    function _readV4(Hop memory hop, uint256 next, uint256 before) private pure returns (uint256) {
        unchecked {
            if (before != V4) {
                hop.target = readAddress(next);
                next += 20;
                if (before != NONE) {
                    hop.tokenIn = readAddress(next);
                    next += 20;
                }
            }
            hop.fee = uint24(read(next, 3));
            hop.tickSpacing = int24(uint24(read(next + 3, 3)));
            next += 6;
            if (!hop.isLast) {
                hop.tokenOut = readAddress(next);
                next += 20;
            }
            return next;
        }
    }

    /// @return The next `size` bytes (1 to 32) as a number.
    function read(uint256 position, uint256 size) internal pure returns (uint256) {
        uint256 word;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            word := shr(sub(256, shl(3, size)), calldataload(position))
        }
        return word;
    }

    function readAddress(uint256 position) internal pure returns (address) {
        return address(uint160(read(position, 20)));
    }

    /// @return Family of the hop at that position.
    function familyAt(uint256 position) internal pure returns (uint256) {
        return read(position, 1) & FAMILY;
    }
}
