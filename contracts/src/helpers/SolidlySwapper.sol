// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

interface ISolidlyPool {
    /// What else the pool returns differs between exchanges.
    function getReserves() external view returns (uint256 reserve0, uint256 reserve1);
    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256 amountOut);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// @title Swaps on any pool that tells its own output, as Solidly's do, what has been sent to it before. Stateless.
contract SolidlySwapper {
    /// @param tokenIn The pool's token0 when `zeroForOne`, else its token1.
    /// @return amountOut What the pool sends to `recipient`, before any transfer tax; by the pool's own formula.
    function swap(
        ISolidlyPool pool,
        IERC20 tokenIn,
        bool zeroForOne,
        address recipient
    ) external returns (uint256 amountOut) {
        (uint256 reserve0, uint256 reserve1) = pool.getReserves();
        uint256 amountIn = tokenIn.balanceOf(address(pool)) - (zeroForOne ? reserve0 : reserve1);
        amountOut = pool.getAmountOut(amountIn, address(tokenIn));
        (uint256 amount0Out, uint256 amount1Out) = zeroForOne ? (uint256(0), amountOut) : (amountOut, uint256(0));
        pool.swap(amount0Out, amount1Out, recipient, "");
    }
}
