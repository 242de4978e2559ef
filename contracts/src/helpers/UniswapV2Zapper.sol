// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {UnexpectedCall} from "../Errors.sol";
import {Tokens} from "../Tokens.sol";
import {IUniswapV2Pair} from "./UniswapV2Swapper.sol";

interface IUniswapV2Liquidity is IUniswapV2Pair {
    function mint(address to) external returns (uint256 liquidity);
    function burn(address to) external returns (uint256 amount0, uint256 amount1);
}

/**
 * @title Liquidity of any Uniswap V2-like pair from one token or from both, and into one token.
 *
 * Tokens are sent here first, within the same transaction (shares that are to be burnt: to the pair); what the pair
 * does not need goes back to the caller. Holds nothing between transactions and is never approved by anybody.
 */
contract UniswapV2Zapper {
    uint256 private constant BPS = 10_000;

    /// A token that calls back in the middle must not spend what lies here.
    bool private transient _running;

    modifier alone() {
        if (_running) revert UnexpectedCall(msg.sender);
        _running = true;
        _;
        _running = false;
    }

    /// @notice Swaps a part of the one token in the pair itself and adds both.
    /// @param tokenIn The pair's token0 when `zeroForOne`, else its token1; `tokenOther` is the other one.
    /// @param feeBps The pair's fee on the input of a swap, 1/10_000.
    /// @return liquidity Shares that the pair mints to `recipient`.
    function zapIn(
        IUniswapV2Liquidity pair,
        address tokenIn,
        address tokenOther,
        bool zeroForOne,
        uint256 feeBps,
        address recipient
    ) external alone returns (uint256 liquidity) {
        (uint256 reserveIn, uint256 reserveOther) = _reserves(pair, zeroForOne);
        uint256 amountIn = Tokens.balanceOf(tokenIn, address(this));
        uint256 sold = _soldPart(amountIn, reserveIn, reserveOther, BPS - feeBps);
        Tokens.pay(tokenIn, address(pair), sold);
        _swap(pair, tokenIn, reserveIn, reserveOther, zeroForOne, feeBps, address(this));
        return _add(pair, tokenIn, tokenOther, zeroForOne, recipient);
    }

    /// @notice Adds both tokens in the ratio of the pair; all of both to a pair that is empty.
    /// @return liquidity Shares that the pair mints to `recipient`.
    function add(
        IUniswapV2Liquidity pair,
        address token0,
        address token1,
        address recipient
    ) external alone returns (uint256 liquidity) {
        return _add(pair, token0, token1, true, recipient);
    }

    /// @notice Burns the shares that lie at the pair and swaps the other token in the pair itself.
    /// @param tokenOut The pair's token1 when `zeroForOne`, else its token0; `tokenOther` is the other one.
    /// @return amountOut What is sent to `recipient`, before any transfer tax.
    function zapOut(
        IUniswapV2Liquidity pair,
        address tokenOut,
        address tokenOther,
        bool zeroForOne,
        uint256 feeBps,
        address recipient
    ) external alone returns (uint256 amountOut) {
        pair.burn(address(this));
        (uint256 reserveIn, uint256 reserveOut) = _reserves(pair, zeroForOne);
        Tokens.pay(tokenOther, address(pair), Tokens.balanceOf(tokenOther, address(this)));
        uint256 own = Tokens.balanceOf(tokenOut, address(this));
        amountOut = own + _swap(pair, tokenOther, reserveIn, reserveOut, zeroForOne, feeBps, recipient);
        Tokens.pay(tokenOut, recipient, own);
    }

    /**
     * @dev What has to be sold so that the rest and the proceeds are in the pair's ratio afterwards: the root of
     * keep * x^2 + reserveIn * (keep + BPS) * x - BPS * reserveIn * amountIn = 0, rounded down, and then the least
     * that buys as much. So the proceeds are always used up, and what is left over is of the token that came in.
     */
    function _soldPart(
        uint256 amountIn,
        uint256 reserveIn,
        uint256 reserveOther,
        uint256 keep
    ) private pure returns (uint256) {
        uint256 b = reserveIn * (keep + BPS);
        uint256 part = (Math.sqrt(b * b + 4 * BPS * keep * reserveIn * amountIn) - b) / (2 * keep);
        uint256 bought = _output(part, reserveIn, reserveOther, keep);
        return Math.ceilDiv(reserveIn * bought * BPS, (reserveOther - bought) * keep);
    }

    /// @dev Swaps what the pair has received of `tokenIn` beyond its reserve.
    function _swap(
        IUniswapV2Liquidity pair,
        address tokenIn,
        uint256 reserveIn,
        uint256 reserveOut,
        bool zeroForOne,
        uint256 feeBps,
        address recipient
    ) private returns (uint256 amountOut) {
        uint256 received = Tokens.balanceOf(tokenIn, address(pair)) - reserveIn;
        amountOut = _output(received, reserveIn, reserveOut, BPS - feeBps);
        pair.swap(zeroForOne ? 0 : amountOut, zeroForOne ? amountOut : 0, recipient, "");
    }

    /// @dev Sends as much of both as the ratio of the pair allows and mints; the rest goes back to the caller.
    function _add(
        IUniswapV2Liquidity pair,
        address tokenA,
        address tokenB,
        bool isAFirst,
        address recipient
    ) private returns (uint256 liquidity) {
        (uint256 reserveA, uint256 reserveB) = _reserves(pair, isAFirst);
        uint256 heldA = Tokens.balanceOf(tokenA, address(this));
        uint256 heldB = Tokens.balanceOf(tokenB, address(this));
        (uint256 amountA, uint256 amountB) = (heldA, heldB);
        if (reserveA != 0 && reserveB != 0) {
            // Rounded up: the pair mints by the smaller side, which is then the one that is used up.
            if (heldA * reserveB < heldB * reserveA) amountB = Math.ceilDiv(heldA * reserveB, reserveA);
            else amountA = Math.ceilDiv(heldB * reserveA, reserveB);
        }
        Tokens.pay(tokenA, address(pair), amountA);
        Tokens.pay(tokenB, address(pair), amountB);
        liquidity = pair.mint(recipient);
        if (heldA > amountA) Tokens.pay(tokenA, msg.sender, heldA - amountA);
        if (heldB > amountB) Tokens.pay(tokenB, msg.sender, heldB - amountB);
    }

    function _reserves(IUniswapV2Liquidity pair, bool isFirst) private view returns (uint256, uint256) {
        (uint256 reserve0, uint256 reserve1, ) = pair.getReserves();
        return isFirst ? (reserve0, reserve1) : (reserve1, reserve0);
    }

    /// @param keep 10_000 less the fee.
    function _output(
        uint256 amountIn,
        uint256 reserveIn,
        uint256 reserveOut,
        uint256 keep
    ) private pure returns (uint256) {
        uint256 afterFee = amountIn * keep;
        return (afterFee * reserveOut) / (reserveIn * BPS + afterFee);
    }
}
