// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {UnexpectedCall} from "../src/Errors.sol";
import {Order} from "../src/Types.sol";
import {IPoolManager} from "../src/helpers/UniswapV4Swapper.sol";
import {Router} from "./IRouter.sol";
import {Pack, SwapBase, SwapHead} from "./SwapBase.sol";
import {Action, Puppet} from "./mocks/Puppet.sol";

interface V3 {
    function swap(address, bool, int256, uint160, bytes calldata) external;
}

/// @dev Hostile pools, managers, tokens and receivers; the victim has approved the Router for everything.
abstract contract SwapAttacksBase is SwapBase {
    address internal victim = address(0x71c);
    Puppet internal evil = new Puppet();

    bytes4 internal constant LOCKED = ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector;
    bytes4 internal constant UNEXPECTED = UnexpectedCall.selector;

    function setUp() public virtual override {
        super.setUp();
        fund(victim);
        give(address(weth), address(evil), 100 ether);
        give(address(usdc), address(evil), 100 ether);
        vm.deal(address(evil), 100 ether);
    }

    function assertVictimWhole() internal view {
        assertEq(weth.balanceOf(victim), 100 ether, "the victim's WETH");
        assertEq(usdc.balanceOf(victim), 100 ether, "the victim's USDC");
        assertEq(victim.balance, 100 ether, "the victim's ether");
    }

    function words(address token, address payer_, uint256 amount) internal pure returns (bytes memory) {
        return abi.encode(token, payer_, amount);
    }

    /// @dev A pool's callback, as it was handed the words.
    function callback(bytes memory with, int256 delta0, int256 delta1) internal pure returns (bytes memory) {
        return abi.encodeWithSignature("uniswapV3SwapCallback(int256,int256,bytes)", delta0, delta1, with);
    }

    /// @dev What the Router waits for while `user` pays 1 WETH to a V3 pool.
    function honest() internal view returns (bytes memory) {
        return callback(words(address(weth), user, 1 ether), 1 ether, -1);
    }

    function act(address target, bytes memory data) internal pure returns (Action memory) {
        return Action(target, 0, data, 0);
    }

    function refused(address target, bytes memory data, bytes4 reason) internal pure returns (Action memory) {
        return Action(target, 0, data, reason);
    }

    function none() internal pure returns (Action[] memory) {}

    function list(Action memory a) internal pure returns (Action[] memory actions) {
        actions = new Action[](1);
        actions[0] = a;
    }

    function join(Action[] memory a, Action[] memory b) internal pure returns (Action[] memory actions) {
        actions = new Action[](a.length + b.length);
        for (uint256 i = 0; i < a.length; ++i) actions[i] = a[i];
        for (uint256 i = 0; i < b.length; ++i) actions[a.length + i] = b[i];
    }

    /// @dev `evil` as a V3 pool from WETH to USDC: acts, and says that it has sent `claim`.
    function armPool(Action[] memory actions, uint256 claim) internal {
        int256 out = -int256(claim);
        bool zeroForOne = address(weth) < address(usdc);
        evil.setScript(V3.swap.selector, actions, zeroForOne ? abi.encode(1, out) : abi.encode(out, 1));
    }

    function pays(address to, uint256 amount) internal view returns (Action memory) {
        return act(address(usdc), abi.encodeCall(IERC20.transfer, (to, amount)));
    }

    function evilOrder(uint128 minimum) internal view returns (bytes memory) {
        SwapHead memory head = plainHead(1 ether);
        head.minimum = minimum;
        return Pack.order(head, v3Leg(address(evil)));
    }

    /// @dev Every way into the Router, none of which may be open while an order runs.
    function entries() internal view returns (Action[] memory actions) {
        Order memory empty;
        (empty.receiver, empty.refundReceiver, empty.deadline) = (receiver, receiver, block.timestamp);
        actions = new Action[](10);
        actions[0] = refused(address(router), Pack.order(plainHead(1), v3Leg(address(pool))), LOCKED);
        actions[1] = refused(address(router), abi.encodeCall(Router.execute, (empty)), LOCKED);
        actions[2] = refused(address(router), abi.encodeCall(Router.executeLegacy, (toLegacy(empty))), LOCKED);
        actions[3] = refused(address(router), callback(words(address(weth), victim, 1), 1, -1), UNEXPECTED);
        actions[4] = refused(address(router), callback(words(address(weth), user, 2 ether), 2 ether, -1), UNEXPECTED);
        actions[5] = refused(address(router), abi.encodeCall(Router.unlockCallback, (batch(victim))), UNEXPECTED);
        actions[6] = refused(address(router), hex"", UNEXPECTED);
        actions[7] = refused(address(router), hex"deadbeef", UNEXPECTED);
        actions[8] = refused(address(router), abi.encodeCall(IERC20.transferFrom, (victim, address(evil), 1)), UNEXPECTED);
        actions[9] = refused(
            address(router),
            abi.encodeWithSignature("pancakeV3SwapCallback(int256,int256,bytes)", 1, -1, words(address(usdc), victim, 1)),
            UNEXPECTED
        );
    }

    /// @dev What `unlockCallback` is handed for one V4 hop from WETH to USDC.
    function batch(address payer_) internal view returns (bytes memory) {
        return batch(payer_, 1 ether, Pack.v4(address(evil), 500));
    }

    function batch(address payer_, uint256 amount, bytes memory hops) internal view returns (bytes memory) {
        return abi.encodePacked(abi.encode(weth, payer_, amount, payer_, usdc, 4), hops);
    }

    /// @dev `evil` as a V4 manager, which takes 1 WETH and says that it has sent `claim` USDC.
    function armManager(Action[] memory actions, uint256 claim) internal {
        int256 spent = -1 ether;
        bool zeroForOne = address(weth) < address(usdc);
        int256 delta = zeroForOne ? (spent << 128) | int256(claim) : (int256(claim) << 128) | int256(uint256(uint128(int128(spent))));
        evil.setScript(IPoolManager.unlock.selector, actions, abi.encode(abi.encode(claim)));
        evil.setScript(IPoolManager.swap.selector, none(), abi.encode(delta));
        evil.setScript(IPoolManager.settle.selector, none(), abi.encode(1 ether));
    }
}
