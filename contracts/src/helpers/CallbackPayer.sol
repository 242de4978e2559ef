// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Tokens} from "../Tokens.sol";
import {NotASwap, UnexpectedCall} from "../Errors.sol";

interface IUniswapV3Pool {
    function swap(
        address recipient,
        bool zeroForOne,
        int256 amountSpecified,
        uint160 sqrtPriceLimitX96,
        bytes calldata data
    ) external returns (int256 amount0, int256 amount1);
}

/**
 * @title Calls a Uniswap V3-like pool on behalf of an account that cannot or should not answer callbacks.
 *
 * The account sends the input here first, within the same transaction; what the pool does not take goes back.
 * Holds nothing between transactions and is never approved by anybody. Makes no call but `swap`, so nobody can have it
 * approve or send anything on the way.
 */
contract CallbackPayer {
    /// The pool of the running call; `_running` is the lock, since the pool could spend what lies here.
    address private transient _payee;
    address private transient _payToken;
    bool private transient _running;

    /// @notice The pool's callback, whatever its name: (int256, int256, bytes). Pays the positive delta once.
    // solhint-disable-next-line no-complex-fallback
    fallback() external {
        if (msg.sender != _payee || msg.data.length < 68) revert UnexpectedCall(msg.sender);
        _payee = address(0);
        (int256 delta0, int256 delta1) = abi.decode(msg.data[4:68], (int256, int256));
        if ((delta0 > 0) == (delta1 > 0)) revert UnexpectedCall(msg.sender);
        Tokens.pay(_payToken, msg.sender, uint256(delta0 > 0 ? delta0 : delta1));
    }

    /// @notice Calls `pool` with `data`; answers with exactly what the pool answers.
    /// @param payToken In which the pool is paid; what is left of it here goes back to the caller.
    /// @param data A call of `IUniswapV3Pool.swap`.
    function callAndPay(address pool, address payToken, bytes calldata data) external {
        if (bytes4(data) != IUniswapV3Pool.swap.selector) revert NotASwap(bytes4(data));
        if (_running) revert UnexpectedCall(msg.sender);
        (_running, _payee, _payToken) = (true, pool, payToken);
        // solhint-disable-next-line avoid-low-level-calls
        (bool ok, bytes memory result) = pool.call(data);
        if (ok) {
            uint256 left = Tokens.balanceOf(payToken, address(this));
            if (left != 0) Tokens.pay(payToken, msg.sender, left);
            (_running, _payee) = (false, address(0));
        }
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            switch ok
            case 0 {
                revert(add(result, 0x20), mload(result))
            }
            default {
                return(add(result, 0x20), mload(result))
            }
        }
    }
}
