// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {NATIVE} from "../Types.sol";
import {Tokens} from "../Tokens.sol";
import {UnexpectedCall} from "../Errors.sol";

/// @dev The last prices that a swap may reach, of V3 and V4 alike: no limit.
uint160 constant MIN_SQRT_PRICE_LIMIT = 4295128740;
uint160 constant MAX_SQRT_PRICE_LIMIT = 1461446703485210103287273052203988822378723970341;

struct PoolKey {
    address currency0;
    address currency1;
    uint24 fee;
    int24 tickSpacing;
    address hooks;
}

struct SwapParams {
    bool zeroForOne;
    int256 amountSpecified;
    uint160 sqrtPriceLimitX96;
}

interface IPoolManager {
    function unlock(bytes calldata data) external returns (bytes memory);
    function swap(PoolKey memory key, SwapParams memory params, bytes calldata hookData) external returns (int256);
    function sync(address currency) external;
    function settle() external payable returns (uint256);
    function take(address currency, address to, uint256 amount) external;
}

/**
 * @title Swaps on a Uniswap V4 pool what has been sent here before, within the same transaction.
 * Holds nothing between transactions. Native currency is the zero address, as in the pool key.
 */
contract UniswapV4Swapper {
    /// The manager of the running swap; also the lock, as a hook could spend what lies here.
    address private transient _manager;

    receive() external payable {}

    /// @notice Spends the own balance of the input (native: includes msg.value); returns what the pool did not take.
    /// @return amountOut What `recipient` was sent, before any transfer tax.
    function swap(
        IPoolManager manager,
        PoolKey calldata key,
        bool zeroForOne,
        address recipient,
        bytes calldata hookData
    ) external payable returns (uint256 amountOut) {
        if (_manager != address(0)) revert UnexpectedCall(msg.sender);
        _manager = address(manager);
        bytes memory result = manager.unlock(abi.encode(key, zeroForOne, recipient, hookData));
        _manager = address(0);
        address tokenIn = _token(zeroForOne ? key.currency0 : key.currency1);
        uint256 left = Tokens.balanceOf(tokenIn, address(this));
        if (left != 0) Tokens.pay(tokenIn, msg.sender, left);
        amountOut = abi.decode(result, (uint256));
    }

    /// @dev Called by the manager while it is unlocked.
    function unlockCallback(bytes calldata data) external returns (bytes memory) {
        if (msg.sender != _manager) revert UnexpectedCall(msg.sender);
        (PoolKey memory key, bool zeroForOne, address recipient, bytes memory hookData) = abi.decode(
            data,
            (PoolKey, bool, address, bytes)
        );
        return abi.encode(_swap(IPoolManager(msg.sender), key, zeroForOne, recipient, hookData));
    }

    function _swap(
        IPoolManager manager,
        PoolKey memory key,
        bool zeroForOne,
        address recipient,
        bytes memory hookData
    ) private returns (uint256 amountOut) {
        (address currencyIn, address currencyOut) = zeroForOne
            ? (key.currency0, key.currency1)
            : (key.currency1, key.currency0);
        address tokenIn = _token(currencyIn);
        SwapParams memory params = SwapParams({
            zeroForOne: zeroForOne,
            amountSpecified: -int256(Tokens.balanceOf(tokenIn, address(this))),
            sqrtPriceLimitX96: zeroForOne ? MIN_SQRT_PRICE_LIMIT : MAX_SQRT_PRICE_LIMIT
        });
        int256 delta = manager.swap(key, params, hookData);
        // The upper half of the delta is currency0, the lower currency1; negative is owed to the manager.
        (int128 delta0, int128 delta1) = (int128(delta >> 128), int128(delta));
        uint256 spent = uint256(-int256(zeroForOne ? delta0 : delta1));
        amountOut = uint256(int256(zeroForOne ? delta1 : delta0));

        if (currencyIn == address(0)) {
            manager.settle{value: spent}();
        } else {
            manager.sync(currencyIn);
            Tokens.pay(tokenIn, address(manager), spent);
            manager.settle();
        }
        manager.take(currencyOut, recipient, amountOut);
    }

    function _token(address currency) private pure returns (address) {
        return currency == address(0) ? NATIVE : currency;
    }
}
