// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @dev As the Vault declares them; a given input is kind 0.
struct VaultSwapParams {
    uint8 kind;
    address pool;
    IERC20 tokenIn;
    IERC20 tokenOut;
    uint256 amountGivenRaw;
    uint256 limitRaw;
    bytes userData;
}

interface IBalancerV3Vault {
    function unlock(bytes calldata data) external returns (bytes memory);
    function settle(IERC20 token, uint256 amountHint) external returns (uint256 credit);
    function swap(
        VaultSwapParams calldata params
    ) external returns (uint256 amountCalculated, uint256 amountIn, uint256 amountOut);
    function sendTo(IERC20 token, address to, uint256 amount) external;
}

/**
 * @title Swaps in a pool of a Balancer V3 Vault what has been sent to the Vault before, within the same transaction.
 * Stateless: it never holds a token, nobody approves it, and all it may do the Vault allows everybody.
 */
contract BalancerV3Swapper {
    /// @notice Spends all of tokenIn that the Vault has got and has credited nobody for.
    /// @return amountOut What the Vault sent to `recipient`, before any transfer tax.
    function swap(
        IBalancerV3Vault vault,
        address pool,
        IERC20 tokenIn,
        IERC20 tokenOut,
        address recipient
    ) external returns (uint256 amountOut) {
        bytes memory data = abi.encodeCall(this.swapUnlocked, (pool, tokenIn, tokenOut, recipient));
        // The Vault calls back with the data as it is, and returns what the callback returned as it is.
        return abi.decode(vault.unlock(data), (uint256));
    }

    /// @dev Called by the Vault while it is unlocked. Whoever else calls is treated as a vault of his own.
    function swapUnlocked(
        address pool,
        IERC20 tokenIn,
        IERC20 tokenOut,
        address recipient
    ) external returns (uint256 amountOut) {
        IBalancerV3Vault vault = IBalancerV3Vault(msg.sender);
        // The credit is for what has arrived; the hint is the most that it can be.
        uint256 amountIn = vault.settle(tokenIn, type(uint256).max);
        (, , amountOut) = vault.swap(
            VaultSwapParams({
                kind: 0,
                pool: pool,
                tokenIn: tokenIn,
                tokenOut: tokenOut,
                amountGivenRaw: amountIn,
                limitRaw: 0,
                userData: ""
            })
        );
        vault.sendTo(tokenOut, recipient, amountOut);
    }
}
