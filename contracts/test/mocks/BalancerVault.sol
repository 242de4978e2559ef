// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {VaultSwapParams} from "../../src/helpers/BalancerV3Swapper.sol";

/// @dev Accounts as Balancer V3's Vault does: by token, of whoever unlocks, nested or not. Swaps give 999 for 1000.
contract BalancerVault {
    mapping(IERC20 => uint256) public reservesOf;
    mapping(IERC20 => int256) public deltas;
    uint256 private nonZero;
    bool private unlocked;
    bool private entered;

    error VaultIsNotUnlocked();
    error BalanceNotSettled();
    error ReentrancyGuardReentrantCall();

    modifier guarded() {
        if (entered) revert ReentrancyGuardReentrantCall();
        if (!unlocked) revert VaultIsNotUnlocked();
        entered = true;
        _;
        entered = false;
    }

    /// @dev Liquidity of pools.
    function stock(IERC20 token) external {
        reservesOf[token] = token.balanceOf(address(this));
    }

    function unlock(bytes calldata data) external returns (bytes memory) {
        bool before = unlocked;
        unlocked = true;
        (bool ok, bytes memory result) = msg.sender.call(data);
        if (!ok) {
            assembly {
                revert(add(result, 0x20), mload(result))
            }
        }
        if (!before) {
            if (nonZero != 0) revert BalanceNotSettled();
            unlocked = false;
        }
        return result;
    }

    function settle(IERC20 token, uint256 hint) external guarded returns (uint256 credit) {
        uint256 held = token.balanceOf(address(this));
        credit = held - reservesOf[token];
        reservesOf[token] = held;
        if (credit > hint) credit = hint;
        _account(token, -int256(credit));
    }

    function sendTo(IERC20 token, address to, uint256 amount) external guarded {
        _account(token, int256(amount));
        reservesOf[token] -= amount;
        token.transfer(to, amount);
    }

    /// @dev The pool's own code runs before and after, as hooks do, while the Vault is unlocked.
    function swap(VaultSwapParams calldata given) external returns (uint256, uint256, uint256 amountOut) {
        if (!unlocked) revert VaultIsNotUnlocked();
        require(given.amountGivenRaw > 0, "AmountGivenZero");
        _hook(given.pool, 0);
        amountOut = given.amountGivenRaw - given.amountGivenRaw / 1000;
        require(amountOut >= given.limitRaw, "SwapLimit");
        _account(given.tokenIn, int256(given.amountGivenRaw));
        _account(given.tokenOut, -int256(amountOut));
        _hook(given.pool, 1);
        return (amountOut, given.amountGivenRaw, amountOut);
    }

    function _hook(address pool, uint256 place) private {
        if (pool.code.length > 0) HookedPool(pool).onSwap(place);
    }

    function _account(IERC20 token, int256 delta) private {
        int256 current = deltas[token];
        int256 next = current + delta;
        if (delta != 0 && next == 0) nonZero--;
        if (delta != 0 && current == 0) nonZero++;
        deltas[token] = next;
    }
}

/// @dev Makes one call before or after the swap, and minds its failure where it is told to.
contract HookedPool {
    address private target;
    bytes private data;
    uint256 private place;
    bool public called;
    bool public succeeded;

    function arm(address to, bytes calldata with, uint256 when) external {
        (target, data, place) = (to, with, when);
    }

    function onSwap(uint256 when) external {
        if (target == address(0) || when != place || called) return;
        called = true;
        (succeeded, ) = target.call(data);
    }
}

/// @dev Runs what it is given inside of a session of its own, and settles nothing.
contract Session {
    function open(BalancerVault vault, address target, bytes calldata data) external {
        vault.unlock(abi.encodeCall(this.run, (target, data)));
    }

    function run(address target, bytes calldata data) external {
        (bool ok, bytes memory result) = target.call(data);
        if (!ok) {
            assembly {
                revert(add(result, 0x20), mload(result))
            }
        }
    }
}
