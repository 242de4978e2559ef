// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {NATIVE} from "../Types.sol";
import {Tokens} from "../Tokens.sol";
import {QuotedSwaps} from "./QuotedSwaps.sol";
import {
    IPoolManager,
    MAX_SQRT_PRICE_LIMIT,
    MIN_SQRT_PRICE_LIMIT,
    PoolKey,
    SwapParams
} from "./UniswapV4Swapper.sol";

interface IClaims {
    function balanceOf(address owner, uint256 id) external view returns (uint256);
}

/**
 * @title Runs swaps of a Uniswap V4 pool, hooks and all, and takes them back.
 * Never deployed: reads place its code at the address that the PoolManager and the hooks are to see as the swapper.
 */
contract UniswapV4Quoter is QuotedSwaps {
    struct Swap {
        bool zeroForOne;
        uint256 amountIn;
    }

    /// @notice Each row of swaps runs in the state of the block, its swaps one after the other.
    /// @param gasOfSwap How much gas each may use.
    /// @return results By row; empty where one of its swaps fails.
    function quote(
        IPoolManager manager,
        PoolKey calldata key,
        Swap[][] calldata rows,
        uint256 gasOfSwap
    ) external returns (Result[][] memory results) {
        results = new Result[][](rows.length);
        for (uint256 i; i < rows.length; ++i) {
            bytes memory data = abi.encode(key, rows[i]);
            // solhint-disable-next-line avoid-low-level-calls
            (, bytes memory reason) = address(manager).call{gas: gasOfSwap * rows[i].length}(
                abi.encodeCall(IPoolManager.unlock, (data))
            );
            results[i] = _decode(reason, rows[i].length);
        }
    }

    /// @dev Called by the manager while it is unlocked. Reverts in any case, so that nothing has happened.
    /// The manager wraps what hooks throw, so that it is no result.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        (PoolKey memory key, Swap[] memory swaps) = abi.decode(data, (PoolKey, Swap[]));
        Result[] memory results = new Result[](swaps.length);
        for (uint256 i; i < swaps.length; ++i) {
            results[i] = _swap(IPoolManager(msg.sender), key, swaps[i]);
        }
        revert Swapped(results);
    }

    /// @notice What the hooks hold of both tokens, themselves and as claims on the manager, and the hash of their code.
    function holdings(
        IClaims manager,
        PoolKey calldata key
    ) external view returns (bytes32 codeHash, uint256 held0, uint256 held1) {
        codeHash = key.hooks.codehash;
        held0 = _held(manager, key.hooks, key.currency0);
        held1 = _held(manager, key.hooks, key.currency1);
    }

    function _swap(IPoolManager manager, PoolKey memory key, Swap memory wanted) private returns (Result memory) {
        SwapParams memory params = SwapParams({
            zeroForOne: wanted.zeroForOne,
            amountSpecified: -int256(wanted.amountIn),
            sqrtPriceLimitX96: wanted.zeroForOne ? MIN_SQRT_PRICE_LIMIT : MAX_SQRT_PRICE_LIMIT
        });
        uint256 gasBefore = gasleft();
        int256 delta = manager.swap(key, params, "");
        uint256 gasUsed = gasBefore - gasleft();
        // The upper half of the delta is currency0, the lower currency1; negative is owed to the manager.
        (int256 delta0, int256 delta1) = (int128(delta >> 128), int128(delta));
        (int256 deltaIn, int256 deltaOut) = wanted.zeroForOne ? (delta0, delta1) : (delta1, delta0);
        return
            Result({
                spent: deltaIn < 0 ? uint256(-deltaIn) : 0,
                amountOut: deltaOut > 0 ? uint256(deltaOut) : 0,
                gasUsed: gasUsed
            });
    }

    function _held(IClaims manager, address owner, address currency) private view returns (uint256 held) {
        held = Tokens.balanceOf(currency == address(0) ? NATIVE : currency, owner);
        held += manager.balanceOf(owner, uint160(currency));
    }
}
