// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {Base} from "./Base.sol";
import {PoolManager} from "./mocks/PoolManager.sol";
import {MockToken} from "./mocks/Tokens.sol";
import {V2LikePair, V3LikePool} from "./mocks/Venues.sol";

/// @dev What stands before the legs; `flags` are set from what is given, but for WRAP, UNWRAP and ETHER.
struct SwapHead {
    uint8 flags;
    uint32 deadline;
    uint128 amountIn;
    uint128 minimum;
    address tokenIn;
    address tokenOut;
    bytes32 accountId;
    bytes16 referralCode;
    address receiver;
    address feeReceiver;
    uint128 fee;
}

/// @dev Packs orders as src/executor/swap-order.ts does, one hop at a time.
library Pack {
    uint8 internal constant DEADLINE = 0x01;
    uint8 internal constant WRAP = 0x02;
    uint8 internal constant UNWRAP = 0x04;
    uint8 internal constant TAGS = 0x08;
    uint8 internal constant RECEIVER = 0x10;
    uint8 internal constant FEE = 0x20;
    uint8 internal constant ETHER = 0x40;

    uint8 internal constant V2 = 0;
    uint8 internal constant V2_MEASURED = 1;
    uint8 internal constant V3 = 2;
    uint8 internal constant V4 = 3;
    uint8 internal constant ZERO_FOR_ONE = 0x04;
    uint8 internal constant SHARE = 0x40;
    uint8 internal constant LAST = 0x80;

    function order(SwapHead memory head, bytes memory legs) internal pure returns (bytes memory) {
        uint8 flags = head.flags;
        if (head.deadline != 0) flags |= DEADLINE;
        if (head.accountId != 0 || head.referralCode != 0) flags |= TAGS;
        if (head.receiver != address(0)) flags |= RECEIVER;
        if (head.feeReceiver != address(0)) flags |= FEE;
        bytes memory packed = abi.encodePacked(bytes4(keccak256("swap()")), flags);
        if (flags & DEADLINE != 0) packed = abi.encodePacked(packed, head.deadline);
        if (flags & (WRAP | ETHER) == 0) packed = abi.encodePacked(packed, head.amountIn);
        packed = abi.encodePacked(packed, head.minimum);
        if (flags & ETHER == 0) packed = abi.encodePacked(packed, head.tokenIn);
        packed = abi.encodePacked(packed, head.tokenOut);
        if (flags & TAGS != 0) packed = abi.encodePacked(packed, head.accountId, head.referralCode);
        if (flags & RECEIVER != 0) packed = abi.encodePacked(packed, head.receiver);
        if (flags & FEE != 0) packed = abi.encodePacked(packed, head.feeReceiver, head.fee);
        return abi.encodePacked(packed, legs);
    }

    /// @dev The only hop of the last leg.
    function v2(address pair, bool zeroForOne, uint16 fee) internal pure returns (bytes memory) {
        return abi.encodePacked(kind(V2, zeroForOne), pair, fee);
    }

    function v3(address pool, bool zeroForOne) internal pure returns (bytes memory) {
        return abi.encodePacked(kind(V3, zeroForOne), pool);
    }

    function v4(address manager, uint24 fee) internal pure returns (bytes memory) {
        return abi.encodePacked(kind(V4, false), manager, fee, int24(60));
    }

    function kind(uint8 family, bool zeroForOne) internal pure returns (uint8) {
        return family | LAST | (zeroForOne ? ZERO_FOR_ONE : 0);
    }

    /// @dev The same leg with a share.
    function shared(bytes memory leg, uint16 share) internal pure returns (bytes memory) {
        bytes memory rest = new bytes(leg.length - 1);
        for (uint256 i = 1; i < leg.length; ++i) rest[i - 1] = leg[i];
        return abi.encodePacked(uint8(leg[0]) | SHARE, share, rest);
    }
}

/// @dev Four tokens (WETH the first) and between any two of them a pair, a pool, one of Pancake's kind, and V4.
abstract contract SwapBase is Base {
    uint16 internal constant PAIR_FEE = 30;
    uint256 internal constant TOKENS = 5;

    address[TOKENS] internal tokens;
    PoolManager internal manager = new PoolManager();
    mapping(address => mapping(address => V2LikePair)) internal pairs;
    mapping(address => mapping(address => V3LikePool)) internal pools;

    function setUp() public virtual override {
        super.setUp();
        tokens = [address(weth), address(usdc), address(new MockToken()), address(new MockToken()), address(new MockToken())];
        for (uint256 i = 2; i < TOKENS; ++i) {
            MockToken(tokens[i]).mint(user, 100 ether);
            vm.prank(user);
            MockToken(tokens[i]).approve(address(router), type(uint256).max);
        }
        for (uint256 i = 0; i < TOKENS; ++i) {
            give(tokens[i], address(manager), 100 ether);
            for (uint256 j = 0; j < i; ++j) addPools(tokens[i], tokens[j], (i + j) % 2 == 0);
        }
        vm.deal(address(manager), 100 ether);
    }

    function addPools(address a, address b, bool asPancake) internal {
        V2LikePair pair = new V2LikePair(ERC20(a), ERC20(b));
        V3LikePool v3 = new V3LikePool(ERC20(a), ERC20(b));
        v3.configure(asPancake, 1);
        (pairs[a][b], pairs[b][a]) = (pair, pair);
        (pools[a][b], pools[b][a]) = (v3, v3);
        give(a, address(pair), 100 ether);
        give(b, address(pair), 50 ether);
        pair.sync();
        give(a, address(v3), 100 ether);
        give(b, address(v3), 100 ether);
    }

    function give(address token, address to, uint256 amount) internal {
        if (token == address(weth)) weth.transfer(to, amount);
        else MockToken(token).mint(to, amount);
    }

    /// @dev A leg through tokens path[i] by families[i]; WETH is ether where a V4 hop begins or ends the order with it.
    function leg(uint8[] memory families, address[] memory path) internal view returns (bytes memory packed) {
        uint8 before = type(uint8).max;
        for (uint256 i = 0; i < families.length; ++i) {
            packed = abi.encodePacked(packed, hop(families[i], before, path[i], path[i + 1], i + 1 == families.length));
            before = families[i];
        }
    }

    function hop(
        uint8 family,
        uint8 before,
        address tokenIn,
        address tokenOut,
        bool isLast
    ) internal view returns (bytes memory) {
        bool isFirst = before == type(uint8).max;
        uint8 last = isLast ? Pack.LAST : 0;
        if (family == Pack.V4) {
            bytes memory opening = before == Pack.V4 ? bytes("") : abi.encodePacked(manager);
            if (!isFirst && before != Pack.V4) opening = abi.encodePacked(opening, tokenIn);
            bytes memory closing = isLast ? bytes("") : abi.encodePacked(tokenOut);
            return abi.encodePacked(family | last, opening, uint24(3000), int24(60), closing);
        }
        uint8 kind = family | last | (tokenIn < tokenOut ? Pack.ZERO_FOR_ONE : 0);
        if (family == Pack.V3) {
            bytes memory from = isFirst ? bytes("") : abi.encodePacked(tokenIn);
            return abi.encodePacked(kind, pools[tokenIn][tokenOut], from);
        }
        bytes memory measured = family == Pack.V2 ? bytes("") : abi.encodePacked(tokenIn);
        return abi.encodePacked(kind, pairs[tokenIn][tokenOut], PAIR_FEE, measured);
    }

    /// @dev What the mocks give, to the wei.
    function quote(uint8[] memory families, address[] memory path, uint256 amount) internal view returns (uint256) {
        for (uint256 i = 0; i < families.length; ++i) {
            if (families[i] >= Pack.V3) amount = swapOutput(amount);
            else amount = quotePair(path[i], path[i + 1], amount);
        }
        return amount;
    }

    function quotePair(address tokenIn, address tokenOut, uint256 amount) internal view returns (uint256) {
        (uint256 reserveIn, uint256 reserveOut, ) = pairs[tokenIn][tokenOut].getReserves();
        if (tokenIn > tokenOut) (reserveIn, reserveOut) = (reserveOut, reserveIn);
        uint256 afterFee = amount * (10_000 - PAIR_FEE);
        return (afterFee * reserveOut) / (reserveIn * 10_000 + afterFee);
    }

    /// @dev WETH to USDC, all of `user`, a minimum of zero.
    function plainHead(uint128 amountIn) internal view returns (SwapHead memory head) {
        (head.amountIn, head.tokenIn, head.tokenOut) = (amountIn, address(weth), address(usdc));
    }

    function v3Leg(address pool_) internal view returns (bytes memory) {
        return Pack.v3(pool_, address(weth) < address(usdc));
    }

    function swapAs(address sender, uint256 value, bytes memory data) internal returns (uint256) {
        vm.prank(sender);
        (bool ok, bytes memory result) = address(router).call{value: value}(data);
        if (!ok) {
            assembly {
                revert(add(result, 0x20), mload(result))
            }
        }
        return abi.decode(result, (uint256));
    }

    function swap(bytes memory data) internal returns (uint256) {
        return swapAs(user, 0, data);
    }

    /// @dev `reason` is the whole error, or its selector alone.
    function expectSwapReverts(uint256 value, bytes memory data, bytes memory reason) internal {
        vm.prank(user);
        (bool ok, bytes memory result) = address(router).call{value: value}(data);
        assertTrue(!ok, "the order is carried out");
        bool isExpected = reason.length == 4
            ? bytes4(result) == bytes4(reason)
            : keccak256(result) == keccak256(reason);
        if (isExpected) return;
        // Shows what came instead.
        assembly {
            revert(add(result, 0x20), mload(result))
        }
    }

    function assertRouterEmpty() internal view {
        for (uint256 i = 0; i < TOKENS; ++i) {
            assertEq(ERC20(tokens[i]).balanceOf(address(router)), 0, "a token left in the Router");
        }
        assertEq(address(router).balance, 0, "ether left in the Router");
    }

    function list(uint8 a) internal pure returns (uint8[] memory families) {
        families = new uint8[](1);
        families[0] = a;
    }

    function list(uint8 a, uint8 b) internal pure returns (uint8[] memory families) {
        families = new uint8[](2);
        (families[0], families[1]) = (a, b);
    }

    function list(address a, address b) internal pure returns (address[] memory path) {
        path = new address[](2);
        (path[0], path[1]) = (a, b);
    }

    function list(address a, address b, address c) internal pure returns (address[] memory path) {
        path = new address[](3);
        (path[0], path[1], path[2]) = (a, b, c);
    }
}
