// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IPoolManager, PoolKey, SwapParams} from "../../src/helpers/UniswapV4Swapper.sol";

interface ICallback {
    function uniswapV3SwapCallback(int256 delta0, int256 delta1, bytes calldata data) external;
    function pancakeV3SwapCallback(int256 delta0, int256 delta1, bytes calldata data) external;
}

/// @dev Pays one for one, less a price of 1/1000, and is paid by callback like a Uniswap V3 pool.
contract V3LikePool {
    IERC20 public immutable token0;
    IERC20 public immutable token1;
    bool public asPancake;
    uint256 public callbacks = 1;

    constructor(IERC20 a, IERC20 b) {
        (token0, token1) = address(a) < address(b) ? (a, b) : (b, a);
    }

    function configure(bool pancake, uint256 times) external {
        (asPancake, callbacks) = (pancake, times);
    }

    function swap(
        address recipient,
        bool zeroForOne,
        int256 amountSpecified,
        uint160,
        bytes calldata data
    ) external returns (int256 amount0, int256 amount1) {
        require(amountSpecified > 0, "exact input only");
        int256 out = amountSpecified - amountSpecified / 1000;
        (amount0, amount1) = zeroForOne ? (amountSpecified, -out) : (-out, amountSpecified);
        (zeroForOne ? token1 : token0).transfer(recipient, uint256(out));
        IERC20 paid = zeroForOne ? token0 : token1;
        uint256 before = paid.balanceOf(address(this));
        for (uint256 i = 0; i < callbacks; ++i) {
            if (asPancake) ICallback(msg.sender).pancakeV3SwapCallback(amount0, amount1, data);
            else ICallback(msg.sender).uniswapV3SwapCallback(amount0, amount1, data);
        }
        require(paid.balanceOf(address(this)) >= before + uint256(amountSpecified), "IIA");
    }
}

/// @dev The constant-product pair's checks with a fee of 30 bps.
contract V2LikePair {
    IERC20 public immutable token0;
    IERC20 public immutable token1;
    uint112 private reserve0;
    uint112 private reserve1;

    constructor(IERC20 a, IERC20 b) {
        (token0, token1) = address(a) < address(b) ? (a, b) : (b, a);
    }

    function sync() public {
        (reserve0, reserve1) = (uint112(token0.balanceOf(address(this))), uint112(token1.balanceOf(address(this))));
    }

    function getReserves() external view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, 0);
    }

    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata) external {
        if (amount0Out > 0) token0.transfer(to, amount0Out);
        if (amount1Out > 0) token1.transfer(to, amount1Out);
        (uint256 balance0, uint256 balance1) = (token0.balanceOf(address(this)), token1.balanceOf(address(this)));
        uint256 in0 = balance0 > reserve0 - amount0Out ? balance0 - (reserve0 - amount0Out) : 0;
        uint256 in1 = balance1 > reserve1 - amount1Out ? balance1 - (reserve1 - amount1Out) : 0;
        require(in0 > 0 || in1 > 0, "INSUFFICIENT_INPUT_AMOUNT");
        uint256 adjusted0 = balance0 * 1000 - in0 * 3;
        uint256 adjusted1 = balance1 * 1000 - in1 * 3;
        require(adjusted0 * adjusted1 >= uint256(reserve0) * reserve1 * 1000 ** 2, "K");
        sync();
    }
}

/// @dev Accounts as the Uniswap V4 manager does: nothing may be owed when it locks again. Takes half at most of `cap`.
contract V4LikeManager {
    address private synced;
    uint256 private syncedBalance;
    mapping(address => int256) private deltas;
    uint256 public cap = type(uint256).max;

    receive() external payable {}

    function setCap(uint256 value) external {
        cap = value;
    }

    function unlock(bytes calldata data) external returns (bytes memory result) {
        (bool ok, bytes memory raw) = msg.sender.call(abi.encodeWithSignature("unlockCallback(bytes)", data));
        if (!ok) {
            assembly {
                revert(add(raw, 0x20), mload(raw))
            }
        }
        result = abi.decode(raw, (bytes));
    }

    function swap(PoolKey memory key, SwapParams memory params, bytes calldata) external returns (int256 delta) {
        uint256 amountIn = uint256(-params.amountSpecified);
        if (amountIn > cap) amountIn = cap;
        int128 spent = -int128(int256(amountIn));
        int128 got = int128(int256(amountIn - amountIn / 1000));
        (int128 d0, int128 d1) = params.zeroForOne ? (spent, got) : (got, spent);
        deltas[key.currency0] += d0;
        deltas[key.currency1] += d1;
        delta = (int256(d0) << 128) | int256(uint256(uint128(d1)));
    }

    function sync(address currency) external {
        (synced, syncedBalance) = (currency, IERC20(currency).balanceOf(address(this)));
    }

    function settle() external payable returns (uint256 paid) {
        paid = msg.value;
        if (synced != address(0)) paid = IERC20(synced).balanceOf(address(this)) - syncedBalance;
        deltas[synced] += int256(paid);
        require(deltas[synced] == 0, "CurrencyNotSettled");
        synced = address(0);
    }

    function take(address currency, address to, uint256 amount) external {
        deltas[currency] -= int256(amount);
        require(deltas[currency] == 0, "CurrencyNotSettled");
        if (currency != address(0)) {
            IERC20(currency).transfer(to, amount);
        } else {
            (bool ok, ) = to.call{value: amount}("");
            require(ok);
        }
    }
}

/// @dev Receives values in every place a call can have them.
contract Recorder {
    struct Deposit {
        address token;
        uint128 amount;
        address onBehalfOf;
    }

    uint256 public stored;
    uint256 public value;

    function deposit(Deposit calldata params, uint256[] calldata more) external payable returns (uint256, uint256) {
        IERC20(params.token).transferFrom(msg.sender, address(this), params.amount);
        (stored, value) = (more[1], msg.value);
        return (params.amount, more[1]);
    }

    function put(uint256 amount) external payable returns (uint256) {
        (stored, value) = (amount, msg.value);
        return amount;
    }

    function fail(uint256 code) external pure {
        revert(code == 0 ? "zero" : "failed as asked");
    }
}

/// @dev As a Safe: delegatecalls what its owner says.
contract DelegatecallingAccount {
    address public immutable owner = msg.sender;

    receive() external payable {}

    function delegate(address target, bytes calldata data) external payable returns (bytes memory) {
        require(msg.sender == owner, "not owner");
        (bool ok, bytes memory result) = target.delegatecall(data);
        if (!ok) {
            assembly {
                revert(add(result, 0x20), mload(result))
            }
        }
        return result;
    }
}

/// @dev The least that a swap on the pool costs: its callback is paid straight from the sender.
contract DirectPayer {
    address private transient sender;

    function swap(V3LikePool pool, address to, bool zeroForOne, int256 amount, uint256 minimum) external {
        sender = msg.sender;
        (int256 amount0, int256 amount1) = pool.swap(to, zeroForOne, amount, 0, "");
        require(uint256(-(zeroForOne ? amount1 : amount0)) >= minimum, "minimum");
    }

    function uniswapV3SwapCallback(int256 delta0, int256 delta1, bytes calldata) external {
        V3LikePool pool = V3LikePool(msg.sender);
        if (delta0 > 0) pool.token0().transferFrom(sender, msg.sender, uint256(delta0));
        else pool.token1().transferFrom(sender, msg.sender, uint256(delta1));
    }
}

/// @dev A pool that tells its own output, as Solidly's do: what it says and what it does are set by the test.
contract SolidlyLikePool {
    IERC20 private immutable token0;
    IERC20 private immutable token1;
    uint256[2] public reserves;
    uint256 public quoted;
    address private target;
    bytes private data;

    constructor(IERC20 a, IERC20 b) {
        (token0, token1) = (a, b);
    }

    function sync() public {
        reserves = [token0.balanceOf(address(this)), token1.balanceOf(address(this))];
    }

    /// @dev Four words: a caller that wants two takes them.
    function getReserves() external view returns (uint256, uint256, uint16, uint16) {
        return (reserves[0], reserves[1], 3, 4);
    }

    function quote(uint256 amountOut) external {
        quoted = amountOut;
    }

    function arm(address to, bytes calldata with) external {
        (target, data) = (to, with);
    }

    function getAmountOut(uint256 amountIn, address tokenIn) external view returns (uint256) {
        if (quoted > 0) return quoted;
        (uint256 a, uint256 b) = tokenIn == address(token0) ? (reserves[0], reserves[1]) : (reserves[1], reserves[0]);
        return (amountIn * b) / (a + amountIn);
    }

    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata) external {
        if (amount0Out > 0) token0.transfer(to, amount0Out);
        if (amount1Out > 0) token1.transfer(to, amount1Out);
        uint256[2] memory b = [token0.balanceOf(address(this)), token1.balanceOf(address(this))];
        require(b[0] * b[1] >= reserves[0] * reserves[1], "K");
        sync();
        if (target == address(0)) return;
        (bool ok, bytes memory result) = target.call(data);
        if (!ok) {
            assembly {
                revert(add(result, 0x20), mload(result))
            }
        }
    }
}
