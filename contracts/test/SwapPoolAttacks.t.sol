// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {
    InsufficientOutput,
    InvalidReceiver,
    NativeTransferFailed,
    PartialFill,
    UnexpectedCall
} from "../src/Errors.sol";
import {NATIVE} from "../src/Types.sol";
import {IPoolManager} from "../src/helpers/UniswapV4Swapper.sol";
import {Router} from "./IRouter.sol";
import {Pack, SwapHead} from "./SwapBase.sol";
import {SwapAttacksBase, V3} from "./SwapAttacksBase.sol";
import {PoolManager} from "./mocks/PoolManager.sol";
import {Action, Puppet} from "./mocks/Puppet.sol";
import {HookedToken} from "./mocks/Tokens.sol";
import {V2LikePair} from "./mocks/Venues.sol";

/// @dev Hostile pools, managers, tokens, wrapped natives and receivers in the middle of an honest sender's order.
contract SwapPoolAttacksTest is SwapAttacksBase {
    function test_poolThatReentersIsRefusedBeforeAndAfterItsCallback() public {
        Action[] memory actions = join(entries(), list(act(address(router), honest())));
        actions = join(actions, join(entries(), list(pays(user, 1 ether))));
        armPool(actions, 1 ether);
        swap(evilOrder(1 ether));
        assertEq(evil.runsOf(V3.swap.selector), 1, "the pool has tried");

        // A pair has no callback: it is called with nothing to be had.
        bool zeroForOne = address(weth) < address(usdc);
        evil.setScript(V2LikePair.getReserves.selector, entries(), abi.encode(10 ether, 10 ether, 0));
        evil.setScript(V2LikePair.swap.selector, join(entries(), list(pays(user, 1 ether))), "");
        swap(Pack.order(plainHead(1 ether), Pack.v2(address(evil), zeroForOne, 30)));
        assertEq(evil.runsOf(V2LikePair.swap.selector), 1, "the pair has tried");
        assertVictimWhole();
        assertRouterEmpty();
    }

    function test_managerThatReentersIsRefusedInEachOfItsFunctions() public {
        Action[] memory answer = list(act(address(router), abi.encodeCall(Router.unlockCallback, (batch(user)))));
        armManager(join(join(entries(), answer), entries()), 1 ether);
        bytes4[4] memory inside = [
            IPoolManager.swap.selector,
            IPoolManager.sync.selector,
            IPoolManager.settle.selector,
            IPoolManager.take.selector
        ];
        int256 spent = -1 ether;
        bool zeroForOne = address(weth) < address(usdc);
        int256 delta = zeroForOne
            ? (spent << 128) | int256(1 ether)
            : (int256(1 ether) << 128) | int256(uint256(uint128(int128(spent))));
        for (uint256 i = 0; i < inside.length; ++i) {
            Action[] memory actions = join(entries(), list(refused(address(router), answer[0].data, UNEXPECTED)));
            if (i == 3) actions = join(actions, list(pays(user, 1 ether)));
            evil.setScript(inside[i], actions, abi.encode(delta));
        }
        swap(Pack.order(plainHead(1 ether), Pack.v4(address(evil), 500)));
        for (uint256 i = 0; i < inside.length; ++i) assertEq(evil.runsOf(inside[i]), 1, "tried inside");
        assertEq(weth.balanceOf(user), 99 ether, "paid once");
        assertVictimWhole();
        assertRouterEmpty();
    }

    function test_managerCannotAlterWhatItWasHanded() public {
        Action[] memory actions = new Action[](7);
        bytes memory hops = Pack.v4(address(evil), 500);
        actions[0].data = batch(victim);
        actions[1].data = batch(user, 2 ether, hops);
        actions[2].data = batch(user, 1 ether, Pack.v4(address(evil), 501));
        actions[3].data = abi.encodePacked(batch(user), hops);
        actions[4].data = batch(user, 1 ether, "");
        actions[5].data = abi.encodePacked(abi.encode(weth, user, 1 ether, evil, usdc, 4), hops);
        actions[6].data = abi.encodePacked(abi.encode(usdc, user, 1 ether, user, usdc, 4), hops);
        for (uint256 i = 0; i < actions.length; ++i) {
            bytes memory data = abi.encodeCall(Router.unlockCallback, (actions[i].data));
            actions[i] = refused(address(router), data, UNEXPECTED);
        }
        bytes memory good = abi.encodeCall(Router.unlockCallback, (batch(user)));
        // Nor can another contract answer for it, with the very words.
        Puppet other = new Puppet();
        other.setScript(0x00000001, list(refused(address(router), good, UNEXPECTED)), "");
        actions = join(actions, list(act(address(other), hex"00000001")));
        armManager(join(actions, list(act(address(router), good))), 0);
        evil.setScript(IPoolManager.take.selector, none(), "");
        swap(Pack.order(plainHead(1 ether), Pack.v4(address(evil), 500)));
        assertEq(other.runsOf(0x00000001), 1, "the other contract has tried");
        assertEq(weth.balanceOf(user), 99 ether, "paid once");
        assertVictimWhole();
    }

    function test_partialFillOfAV4PoolIsRefused() public {
        manager.setCap(0.5 ether);
        bytes memory order = Pack.order(plainHead(1 ether), Pack.v4(address(manager), 500));
        expectSwapReverts(0, order, abi.encodeWithSelector(PartialFill.selector, 1 ether, 0.5 ether));

        // A later hop of the same unlock that takes less leaves the manager's accounts open: it does not lock again.
        manager.setCap(1 ether);
        manager.setCapOf(tokens[2], 0.5 ether);
        bytes memory hops = leg(list(Pack.V4, Pack.V4), list(address(weth), tokens[2], address(usdc)));
        bytes memory reason = abi.encodeWithSelector(PoolManager.CurrencyNotSettled.selector);
        expectSwapReverts(0, Pack.order(plainHead(1 ether), hops), reason);
    }

    function test_tokenThatReentersIsRefused() public {
        // In transferFrom, in the balance of the receiver, and in the transfer of the Router itself.
        bytes4[3] memory functions = [
            IERC20.transferFrom.selector,
            IERC20.balanceOf.selector,
            IERC20.transfer.selector
        ];
        Puppet token = new Puppet();
        for (uint256 i = 0; i < functions.length; ++i) {
            token.setScript(functions[i], entries(), abi.encode(1));
        }
        bool zeroForOne = address(token) < address(usdc);
        int256 out = -1 ether;
        Action[] memory actions = new Action[](2);
        actions[0] = act(address(router), callback(words(address(token), user, 1 ether), 1 ether, -1));
        actions[1] = pays(user, 1 ether);
        evil.setScript(V3.swap.selector, actions, zeroForOne ? abi.encode(1, out) : abi.encode(out, 1));
        SwapHead memory head = plainHead(1 ether);
        head.tokenIn = address(token);
        head.minimum = 1 ether;
        swap(Pack.order(head, Pack.v3(address(evil), zeroForOne)));
        assertEq(token.runsOf(IERC20.transferFrom.selector), 1, "transferFrom has tried");

        // Wrapped, so that the Router pays with `transfer`, after `deposit`.
        token.setScript(bytes4(keccak256("deposit()")), entries(), "");
        actions[0] = act(address(router), callback(words(address(token), address(router), 1 ether), 1 ether, -1));
        evil.setScript(V3.swap.selector, actions, zeroForOne ? abi.encode(1, out) : abi.encode(out, 1));
        head.flags = Pack.WRAP;
        swapAs(user, 1 ether, Pack.order(head, Pack.v3(address(evil), zeroForOne)));
        assertEq(token.runsOf(IERC20.transfer.selector), 1, "transfer has tried");
        assertEq(token.runsOf(bytes4(keccak256("deposit()"))), 1, "deposit has tried");

        // As the output, whose balance is read before and after.
        head = plainHead(1 ether);
        head.tokenOut = address(token);
        armPool(list(act(address(router), honest())), 1 ether);
        swap(Pack.order(head, v3Leg(address(evil))));
        assertVictimWhole();
        assertRouterEmpty();
    }

    function test_feeReceiverThatReentersIsRefused() public {
        Puppet taker = new Puppet();
        taker.setScript(0, entries(), "");
        SwapHead memory head = plainHead(0);
        (head.flags, head.feeReceiver, head.fee) = (Pack.WRAP, address(taker), 0.1 ether);
        swapAs(user, 1 ether, Pack.order(head, v3Leg(address(pool))));
        assertEq(taker.runsOf(0), 1, "the fee receiver has tried");
        assertEq(address(taker).balance, 0.1 ether, "the fee");
        assertEq(user.balance, 99 ether, "spent");
        assertVictimWhole();
    }

    function test_receiverOfEtherThatReentersIsRefused() public {
        Puppet taker = new Puppet();
        taker.setScript(0, entries(), "");
        SwapHead memory head = plainHead(1 ether);
        (head.tokenIn, head.tokenOut, head.flags) = (address(usdc), address(weth), Pack.UNWRAP);
        (head.receiver, head.minimum) = (address(taker), uint128(swapOutput(1 ether)));
        bytes memory order = Pack.order(head, Pack.v3(address(pool), address(usdc) < address(weth)));
        swap(order);
        assertEq(taker.runsOf(0), 1, "the receiver has tried");
        assertEq(address(taker).balance, swapOutput(1 ether), "the output");
        assertVictimWhole();
        assertRouterEmpty();

        // A receiver that refuses ether makes the order fail.
        taker.setScript(0, list(act(address(router), "")), "");
        bytes memory reason = abi.encodeWithSelector(NativeTransferFailed.selector, taker, swapOutput(1 ether));
        expectSwapReverts(0, order, reason);
    }

    function test_hostileWrappedNativeCannotReenterNorKeepTheEther() public {
        // While the Router waits for ether it takes ether, and nothing else.
        Action[] memory actions = entries();
        actions[6] = Action(address(router), 1 ether, "", 0);
        actions[0].refusedWith = LOCKED;
        Puppet wrapped = new Puppet();
        vm.deal(address(wrapped), 10 ether);
        bytes4 withdraw = bytes4(keccak256("withdraw(uint256)"));
        wrapped.setScript(withdraw, actions, "");
        SwapHead memory head = plainHead(1 ether);
        (head.tokenOut, head.flags, head.receiver) = (address(wrapped), Pack.UNWRAP, receiver);
        armPool(list(act(address(router), honest())), 1 ether);
        bytes memory order = Pack.order(head, v3Leg(address(evil)));
        swap(order);
        assertEq(receiver.balance, 1 ether, "the output");
        assertEq(wrapped.runsOf(withdraw), 1, "withdraw has tried");
        assertRouterEmpty();

        // One that keeps the ether: the Router has none of its own to pay with.
        wrapped.setScript(withdraw, none(), "");
        expectSwapReverts(0, order, abi.encodeWithSelector(NativeTransferFailed.selector, receiver, 1 ether));
        assertVictimWhole();
    }

    function test_etherIsOnlyTakenWhileUnwrapping() public {
        vm.prank(user);
        (bool ok, bytes memory result) = address(router).call{value: 1 ether}("");
        assertTrue(!ok && bytes4(result) == UNEXPECTED, "ether from nobody");

        // As the output of a V4 hop that another family follows.
        bytes memory hops = abi.encodePacked(
            abi.encodePacked(Pack.V4, manager, uint24(500), int24(10), address(0)),
            abi.encodePacked(Pack.kind(Pack.V3, false), pool, weth)
        );
        bytes memory reason = abi.encodeWithSelector(UnexpectedCall.selector, manager);
        expectSwapReverts(0, Pack.order(plainHead(1 ether), hops), reason);

        // In the middle of an order, to a function or without one.
        Action[] memory actions = new Action[](4);
        actions[0] = Action(address(router), 1, "", UNEXPECTED);
        actions[1] = Action(address(router), 1, evilOrder(0), LOCKED);
        actions[2] = act(address(router), honest());
        actions[3] = Action(address(router), 1, "", UNEXPECTED);
        armPool(actions, 0);
        swap(evilOrder(0));
        assertRouterEmpty();
    }

    function test_claimAboveWhatIsPaidIsWorthNothing() public {
        armPool(join(list(act(address(router), honest())), list(pays(user, 0.4 ether))), 1 ether);
        bytes memory reason = abi.encodeWithSelector(InsufficientOutput.selector, usdc, 1 ether, 0.4 ether);
        expectSwapReverts(0, evilOrder(1 ether), reason);
        assertEq(swap(evilOrder(0.4 ether)), 0.4 ether, "the gain counts");

        // Between hops the Router pays with what it got, and it has got nothing.
        bool zeroForOne = address(usdc) < address(weth);
        bytes memory hops = abi.encodePacked(
            abi.encodePacked(Pack.V3 | (address(weth) < address(usdc) ? Pack.ZERO_FOR_ONE : 0), evil),
            abi.encodePacked(Pack.kind(Pack.V3, zeroForOne), pool, usdc)
        );
        armPool(list(act(address(router), honest())), 1 ether);
        SwapHead memory head = plainHead(1 ether);
        head.tokenOut = address(weth);
        reason = abi.encodeWithSignature("ERC20InsufficientBalance(address,uint256,uint256)", router, 0, 1 ether);
        expectSwapReverts(0, Pack.order(head, hops), reason);
    }

    function test_paymentOfSomebodyElseIsNotTheOutput() public {
        // The token's hook has another pay the receiver, and the honest pool gives less than the minimum.
        HookedToken hook = new HookedToken();
        hook.mint(user, 10 ether);
        vm.prank(user);
        hook.approve(address(router), 10 ether);
        V2LikePair pair = new V2LikePair(hook, usdc);
        hook.mint(address(pair), 10 ether);
        usdc.mint(address(pair), 10 ether);
        pair.sync();
        evil.setScript(0x00000001, list(pays(receiver, 5 ether)), "");
        hook.arm(address(evil), hex"00000001");
        SwapHead memory head = plainHead(1 ether);
        (head.tokenIn, head.receiver, head.minimum) = (address(hook), receiver, 5 ether);
        bytes memory order = Pack.order(head, Pack.v2(address(pair), address(hook) < address(usdc), 30));
        uint256 given = (uint256(1 ether) * 9970 * 10 ether) / (10 ether * 10_000 + 1 ether * uint256(9970));
        expectSwapReverts(0, order, abi.encodeWithSelector(InsufficientOutput.selector, usdc, 5 ether, given));
        head.minimum = uint128(given);
        assertEq(swap(Pack.order(head, Pack.v2(address(pair), address(hook) < address(usdc), 30))), given, "the claim counts");
        assertEq(usdc.balanceOf(receiver), given + 5 ether, "the receiver has both");
    }

    function test_receiverMayNotBeNobodyOrTheRouter() public {
        SwapHead memory head = plainHead(1 ether);
        head.receiver = address(router);
        bytes memory reason = abi.encodeWithSelector(InvalidReceiver.selector, router);
        expectSwapReverts(0, Pack.order(head, v3Leg(address(pool))), reason);
        (head.receiver, head.flags) = (address(0), Pack.RECEIVER);
        reason = abi.encodeWithSelector(InvalidReceiver.selector, address(0));
        expectSwapReverts(0, Pack.order(head, v3Leg(address(pool))), reason);
        // Nor the fee in ether the Router's.
        head = plainHead(0);
        (head.flags, head.feeReceiver, head.fee) = (Pack.WRAP, address(router), 1);
        reason = abi.encodeWithSelector(NativeTransferFailed.selector, router, 1);
        expectSwapReverts(1 ether, Pack.order(head, v3Leg(address(pool))), reason);
    }

    function test_tokenRouterOrExecutorAsAPoolIsRefused() public {
        address executor = router.executorOf(user);
        execute(makeOrder(address(weth), 0, address(weth), 0, hex"00"));
        assertTrue(executor.code.length != 0, "there is an Executor");
        address[8] memory targets = [
            address(usdc),
            address(weth),
            address(router),
            executor,
            victim,
            NATIVE,
            address(0),
            router.executorImplementation()
        ];
        for (uint256 i = 0; i < targets.length; ++i) {
            bytes memory two = abi.encodePacked(leg(list(Pack.V3), list(address(weth), tokens[2])));
            two[0] = bytes1(uint8(two[0]) & ~Pack.LAST);
            expectNothingMoves(Pack.v2(targets[i], true, 30));
            expectNothingMoves(Pack.v2(targets[i], false, 0));
            expectNothingMoves(abi.encodePacked(Pack.kind(Pack.V2_MEASURED, true), targets[i], uint16(30), weth));
            expectNothingMoves(Pack.v3(targets[i], true));
            expectNothingMoves(Pack.v3(targets[i], false));
            expectNothingMoves(Pack.v4(targets[i], 500));
            expectNothingMoves(abi.encodePacked(two, Pack.kind(Pack.V3, true), targets[i], tokens[2]));
            expectNothingMoves(abi.encodePacked(two, Pack.kind(Pack.V2, true), targets[i], uint16(30)));
            expectNothingMoves(
                abi.encodePacked(two, Pack.V4 | Pack.LAST, targets[i], tokens[2], uint24(500), int24(10))
            );
        }
        assertVictimWhole();
        assertRouterEmpty();
    }

    /// @dev As tokens, as ether that is wrapped, and as ether as it is.
    function expectNothingMoves(bytes memory legs) private {
        SwapHead memory head = plainHead(1 ether);
        uint256 held = weth.balanceOf(user);
        for (uint256 i = 0; i < 3; ++i) {
            head.flags = i == 0 ? 0 : i == 1 ? Pack.WRAP : Pack.ETHER;
            vm.prank(user);
            (bool ok, ) = address(router).call{value: i == 0 ? 0 : 1 ether}(Pack.order(head, legs));
            assertTrue(!ok, "carried out");
            assertEq(weth.balanceOf(user), held, "the sender's WETH");
        }
    }
}
