// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

interface IUniswapV2Pair {
    function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata data) external;
}

/// @title Swaps on any Uniswap V2-like pair what has been sent to the pair before. Stateless.
contract UniswapV2Swapper {
    uint256 private constant BPS = 10_000;

    /// @param tokenIn The pair's token0 when `zeroForOne`, else its token1.
    /// @param feeBps The pair's fee on the input, 1/10_000.
    /// @return amountOut What the pair sends to `recipient`, before any transfer tax; rounded down.
    function swap(
        IUniswapV2Pair pair,
        IERC20 tokenIn,
        bool zeroForOne,
        uint256 feeBps,
        address recipient
    ) external returns (uint256 amountOut) {
        (uint256 reserve0, uint256 reserve1, ) = pair.getReserves();
        (uint256 reserveIn, uint256 reserveOut) = zeroForOne ? (reserve0, reserve1) : (reserve1, reserve0);
        uint256 amountIn = (tokenIn.balanceOf(address(pair)) - reserveIn) * (BPS - feeBps);
        amountOut = (amountIn * reserveOut) / (reserveIn * BPS + amountIn);
        (uint256 amount0Out, uint256 amount1Out) = zeroForOne ? (uint256(0), amountOut) : (amountOut, uint256(0));
        pair.swap(amount0Out, amount1Out, recipient, "");
    }
}
