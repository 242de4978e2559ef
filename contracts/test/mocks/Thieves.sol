// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {DestinationReceiver} from "../../src/DestinationReceiver.sol";
import {Router} from "../IRouter.sol";
import {Order} from "../../src/Types.sol";
import {ICallback} from "./Venues.sol";

/// @dev Takes the input of a swap as a V3-like pool does, pays nothing out, and calls what it was armed with.
contract ThievingPool {
    address private target;
    bytes private data;

    function arm(address to, bytes calldata with) external {
        (target, data) = (to, with);
    }

    function approve(IERC20 token, address spender) external {
        token.approve(spender, type(uint256).max);
    }

    function swap(
        address,
        bool zeroForOne,
        int256 amount,
        uint160,
        bytes calldata
    ) external returns (int256 amount0, int256 amount1) {
        (amount0, amount1) = zeroForOne ? (amount, int256(-1)) : (int256(-1), amount);
        ICallback(msg.sender).uniswapV3SwapCallback(amount0, amount1, "");
        (bool ok, bytes memory result) = target.call(data);
        if (!ok) {
            assembly {
                revert(add(result, 0x20), mload(result))
            }
        }
    }
}

/// @dev Holds one token for many, each with what it has paid in.
contract PooledVault {
    IERC20 private immutable token;
    mapping(address => uint256) public credit;

    constructor(IERC20 held) {
        token = held;
    }

    function deposit(uint256 amount) external {
        token.transferFrom(msg.sender, address(this), amount);
        credit[msg.sender] += amount;
    }
}

/// @dev Pays everybody what they are owed as soon as anybody asks, as airdrops and exits of bridges do.
contract Distributor {
    IERC20 private immutable token;
    mapping(address => uint256) public owed;

    constructor(IERC20 paid) {
        token = paid;
    }

    function owe(address account, uint256 amount) external {
        owed[account] += amount;
    }

    function claim(address account) external {
        uint256 amount = owed[account];
        owed[account] = 0;
        token.transfer(account, amount);
    }
}

/// @dev Fills deliveries of a bridge with tokens of its own, for which the bridge pays it back elsewhere.
contract Relayer {
    function fill(DestinationReceiver destination, IERC20 token, uint256 amount, bytes calldata message) external {
        token.transfer(address(destination), amount);
        destination.handleV3AcrossMessage(address(token), amount, address(this), message);
    }
}

/// @dev Uses all gas that it is given, or returns very much, so that whoever copies it runs out of gas.
contract GasBurner {
    uint256 private immutable returned;

    constructor(uint256 size) {
        returned = size;
    }

    fallback() external {
        uint256 size = returned;
        if (size == 0) while (true) {}
        assembly {
            revert(0, size)
        }
    }
}

/// @dev Sends the orders of many users, with what it holds, as one sender.
contract Forwarder {
    function approve(IERC20 token, address spender) external {
        token.approve(spender, type(uint256).max);
    }

    function forward(Router router, Order calldata order) external {
        router.execute(order);
    }
}
