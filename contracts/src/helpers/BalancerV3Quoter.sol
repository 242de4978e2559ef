// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IBalancerV3Vault, VaultSwapParams} from "./BalancerV3Swapper.sol";
import {QuotedSwaps} from "./QuotedSwaps.sol";

/**
 * @title Runs swaps of a pool of a Balancer V3 Vault, hooks and all, and takes them back.
 * Never deployed: reads place its code at the address that the Vault and the hooks are to see as the swapper.
 */
contract BalancerV3Quoter is QuotedSwaps {
    struct Swap {
        IERC20 tokenIn;
        IERC20 tokenOut;
        uint256 amountIn;
    }

    error NotSwapped();

    /// @notice Each row of swaps runs in the state of the block, its swaps one after the other.
    /// @param gasOfSwap How much gas each may use.
    /// @return results By row; empty where one of its swaps fails.
    function quote(
        IBalancerV3Vault vault,
        address pool,
        Swap[][] calldata rows,
        uint256 gasOfSwap
    ) external returns (Result[][] memory results) {
        results = new Result[][](rows.length);
        for (uint256 i; i < rows.length; ++i) {
            bytes memory data = abi.encodeCall(this.quoteUnlocked, (pool, rows[i]));
            // solhint-disable-next-line avoid-low-level-calls
            (, bytes memory reason) = address(vault).call{gas: gasOfSwap * rows[i].length}(
                abi.encodeCall(IBalancerV3Vault.unlock, (data))
            );
            results[i] = _decode(reason, rows[i].length);
        }
    }

    /// @dev Called by the Vault while it is unlocked. Reverts in any case, so that nothing has happened.
    function quoteUnlocked(address pool, Swap[] calldata swaps) external {
        Result[] memory results = new Result[](swaps.length);
        for (uint256 i; i < swaps.length; ++i) {
            results[i] = _swap(IBalancerV3Vault(msg.sender), pool, swaps[i]);
        }
        revert Swapped(results);
    }

    function _swap(IBalancerV3Vault vault, address pool, Swap calldata wanted) private returns (Result memory) {
        uint256 gasBefore = gasleft();
        try
            vault.swap(
                VaultSwapParams({
                    kind: 0,
                    pool: pool,
                    tokenIn: wanted.tokenIn,
                    tokenOut: wanted.tokenOut,
                    amountGivenRaw: wanted.amountIn,
                    limitRaw: 0,
                    userData: ""
                })
            )
        returns (uint256, uint256 amountIn, uint256 amountOut) {
            return Result({spent: amountIn, amountOut: amountOut, gasUsed: gasBefore - gasleft()});
        } catch {
            // The Vault hands on what hooks throw as it is: it must not be taken for results.
            revert NotSwapped();
        }
    }
}
