// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {NativeTransferFailed, UnreadableBalance} from "./Errors.sol";
import {NATIVE} from "./Types.sol";

/// @notice Balances and payments of tokens and of the native token alike.
library Tokens {
    using SafeERC20 for IERC20;

    /// @dev As IERC20.balanceOf, at about half its cost; routes read many balances.
    function balanceOf(address token, address owner) internal view returns (uint256 held) {
        if (token == NATIVE) return owner.balance;
        bytes4 selector = IERC20.balanceOf.selector;
        bool ok;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            mstore(0x00, selector)
            mstore(0x04, owner)
            ok := and(gt(returndatasize(), 0x1f), staticcall(gas(), token, 0x00, 0x24, 0x00, 0x20))
            held := mload(0x00)
        }
        if (!ok) revert UnreadableBalance(token);
    }

    function pay(address token, address to, uint256 amount) internal {
        if (token != NATIVE) return IERC20(token).safeTransfer(to, amount);
        // solhint-disable-next-line avoid-low-level-calls
        (bool ok, ) = to.call{value: amount}("");
        if (!ok) revert NativeTransferFailed(to, amount);
    }

    function pull(address token, address from, address to, uint256 amount) internal {
        IERC20(token).safeTransferFrom(from, to, amount);
    }

    function approve(address token, address spender, uint256 amount) internal {
        IERC20(token).forceApprove(spender, amount);
    }
}
