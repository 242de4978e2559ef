// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {PoolKey, SwapParams} from "../../src/helpers/UniswapV4Swapper.sol";

interface IUnlockCallback {
    function unlockCallback(bytes calldata data) external returns (bytes memory);
}

/**
 * The accounts of the real PoolManager: locked but for one unlock, deltas by caller and currency, all of them zero
 * when it locks again, currencies paid by sync, transfer and settle. Every pool pays one for one less 1/1000.
 */
contract PoolManager {
    mapping(address caller => mapping(address currency => int256)) private deltas;
    bool private unlocked;
    uint256 private nonzero;
    address private synced;
    uint256 private syncedBalance;
    /// Most that a pool takes.
    uint256 public cap = type(uint256).max;
    mapping(address currency => uint256) private capOf;

    error AlreadyUnlocked();
    error ManagerLocked();
    error CurrencyNotSettled();
    error CurrenciesOutOfOrderOrEqual();
    error NonzeroNativeValue();

    receive() external payable {}

    modifier onlyUnlocked() {
        if (!unlocked) revert ManagerLocked();
        _;
    }

    function setCap(uint256 value) external {
        cap = value;
    }

    function setCapOf(address currency, uint256 value) external {
        capOf[currency] = value;
    }

    function unlock(bytes calldata data) external returns (bytes memory result) {
        if (unlocked) revert AlreadyUnlocked();
        unlocked = true;
        result = IUnlockCallback(msg.sender).unlockCallback(data);
        if (nonzero != 0) revert CurrencyNotSettled();
        unlocked = false;
    }

    function swap(
        PoolKey memory key,
        SwapParams memory params,
        bytes calldata
    ) external onlyUnlocked returns (int256 delta) {
        if (key.currency0 >= key.currency1) revert CurrenciesOutOfOrderOrEqual();
        uint256 amountIn = uint256(-params.amountSpecified);
        if (amountIn > cap) amountIn = cap;
        uint256 own = capOf[params.zeroForOne ? key.currency0 : key.currency1];
        if (own != 0 && amountIn > own) amountIn = own;
        int128 spent = -int128(int256(amountIn));
        int128 got = int128(int256(output(params.zeroForOne, key, amountIn)));
        (int128 delta0, int128 delta1) = params.zeroForOne ? (spent, got) : (got, spent);
        account(key.currency0, delta0);
        account(key.currency1, delta1);
        delta = (int256(delta0) << 128) | int256(uint256(uint128(delta1)));
    }

    function output(bool, PoolKey memory key, uint256 amountIn) internal virtual returns (uint256) {
        require(key.hooks == address(0), "hooks");
        return amountIn - amountIn / 1000;
    }

    function sync(address currency) external {
        synced = currency;
        if (currency != address(0)) syncedBalance = IERC20(currency).balanceOf(address(this));
    }

    function settle() external payable onlyUnlocked returns (uint256 paid) {
        if (synced == address(0)) {
            paid = msg.value;
        } else {
            if (msg.value != 0) revert NonzeroNativeValue();
            paid = IERC20(synced).balanceOf(address(this)) - syncedBalance;
        }
        account(synced, int256(paid));
        synced = address(0);
    }

    function take(address currency, address to, uint256 amount) external onlyUnlocked {
        account(currency, -int256(amount));
        if (currency != address(0)) {
            IERC20(currency).transfer(to, amount);
        } else {
            (bool ok, bytes memory reason) = to.call{value: amount}("");
            if (ok) return;
            assembly {
                revert(add(reason, 0x20), mload(reason))
            }
        }
    }

    function account(address currency, int256 change) private {
        int256 before = deltas[msg.sender][currency];
        int256 next = before + change;
        if (before == 0 && next != 0) ++nonzero;
        if (before != 0 && next == 0) --nonzero;
        deltas[msg.sender][currency] = next;
    }
}
