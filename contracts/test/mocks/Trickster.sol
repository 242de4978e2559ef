// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IPoolManager, SwapParams} from "../../src/helpers/UniswapV4Swapper.sol";
import {V2LikePair, V3LikePool} from "./Venues.sol";

/**
 * A pool, pair, manager and token that behaves as its seed says: in every function it tries to get into the Router,
 * and it answers honestly, or with other words, twice, or not at all. Never pays more than it claims.
 */
contract Trickster {
    address private immutable router;
    address[3] private victims;
    IERC20 private tokenIn;
    IERC20 private tokenOut;
    uint256 private seed;
    /// Ways in that were open.
    uint256 public breaches;

    constructor(address router_, address[3] memory victims_) {
        (router, victims) = (router_, victims_);
    }

    function arm(IERC20 from, IERC20 to, uint256 with) external {
        (tokenIn, tokenOut, seed) = (from, to, with);
    }

    receive() external payable {
        intrude();
    }

    fallback(bytes calldata data) external payable returns (bytes memory) {
        bytes4 selector = msg.sig;
        if (selector == V2LikePair.getReserves.selector) return abi.encode(1 ether, 1 ether, 0);
        if (selector == IERC20.balanceOf.selector) return abi.encode(seed >> 128);
        intrude();
        if (selector == V3LikePool.swap.selector) return swapV3(data[4:]);
        if (selector == V2LikePair.swap.selector) return swapV2(data[4:]);
        if (selector == IPoolManager.unlock.selector) return unlock(data[4:]);
        if (selector == IPoolManager.swap.selector) return swapV4(data[164:]);
        if (selector == IPoolManager.take.selector) {
            (, address to, uint256 amount) = abi.decode(data[4:], (address, address, uint256));
            payOut(to, amount);
        }
        return abi.encode(1);
    }

    function swapV3(bytes calldata arguments) private returns (bytes memory) {
        (address to, bool zeroForOne, int256 amount, , bytes memory words) = abi.decode(
            arguments,
            (address, bool, int256, uint160, bytes)
        );
        payOut(to, uint256(amount));
        if (seed & 0xf00 == 0x100) words = abi.encode(tokenIn, victim(), amount);
        if (seed & 0xf00 == 0x200) words = abi.encode(tokenIn, router, amount);
        if (seed & 0xf00 == 0x300) words = abi.encode(tokenOut, victim(), amount);
        int256 asks = seed & 0xf000 == 0x1000 ? amount + 1 : seed & 0xf000 == 0x2000 ? amount / 2 : amount;
        bytes memory callback = abi.encodeWithSignature("anyName(int256,int256,bytes)", asks, -1, words);
        if (seed & 0xf0000 != 0) answer(callback);
        intrude();
        if (seed & 0xf0000 == 0x10000) intrudeWith(callback);
        return zeroForOne ? abi.encode(1, -amount) : abi.encode(-amount, 1);
    }

    function swapV2(bytes calldata arguments) private returns (bytes memory) {
        (uint256 out0, uint256 out1, address to) = abi.decode(arguments, (uint256, uint256, address));
        payOut(to, out0 + out1);
        intrude();
        return "";
    }

    function unlock(bytes calldata arguments) private returns (bytes memory) {
        bytes memory data = abi.decode(arguments, (bytes));
        // The payer is the second word.
        if (seed & 0xf00 == 0x100) {
            address other = victim();
            assembly {
                mstore(add(data, 64), other)
            }
        }
        if (seed & 0xf00 == 0x200) data = abi.encodePacked(data, seed);
        bytes memory callback = abi.encodeWithSignature("unlockCallback(bytes)", data);
        bytes memory result = "";
        if (seed & 0xf0000 != 0) result = answer(callback);
        intrude();
        if (seed & 0xf0000 == 0x10000) intrudeWith(callback);
        return result.length == 0 ? abi.encode(abi.encode(uint256(0))) : result;
    }

    function swapV4(bytes calldata arguments) private view returns (bytes memory) {
        SwapParams memory params = abi.decode(arguments, (SwapParams));
        int256 spent = seed & 0xf000 == 0x1000 ? params.amountSpecified / 2 : params.amountSpecified;
        int256 got = -params.amountSpecified;
        (int256 delta0, int256 delta1) = params.zeroForOne ? (spent, got) : (got, spent);
        return abi.encode((delta0 << 128) | int256(uint256(uint128(int128(delta1)))));
    }

    /// @dev All of it, three times of four.
    function payOut(address to, uint256 amount) private {
        if (seed & 0x3 == 0) amount /= 2;
        tokenOut.transfer(to, amount);
    }

    /// @dev What the Router waits for, or not.
    function answer(bytes memory callback) private returns (bytes memory) {
        (bool ok, bytes memory result) = msg.sender.call(callback);
        if (ok) return result;
        assembly {
            revert(add(result, 0x20), mload(result))
        }
    }

    function intrude() private {
        if (msg.sender != router) return;
        uint256 amount = seed % 1 ether;
        intrudeWith(abi.encodeWithSignature("anyName(int256,int256,bytes)", amount, -1, abi.encode(tokenIn, victim(), amount)));
        bytes memory batch = abi.encode(tokenIn, victim(), amount, this, tokenOut, 4);
        batch = abi.encodePacked(batch, uint8(0x83), this, uint24(1), int24(1));
        intrudeWith(abi.encodeWithSignature("unlockCallback(bytes)", batch));
        intrudeWith(abi.encodePacked(seed));
        bytes memory order = abi.encodePacked(uint8(0), uint128(0), uint128(0), tokenIn, tokenOut, uint8(0x82), this);
        intrudeWith(abi.encodePacked(bytes4(keccak256("swap()")), order));
    }

    function intrudeWith(bytes memory data) private {
        (bool ok, ) = router.call(data);
        if (ok) ++breaches;
    }

    function victim() private view returns (address) {
        return victims[(seed >> 32) % 3];
    }
}
