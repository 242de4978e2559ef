// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {CallbackNotUsed, PartialFill, UnexpectedCall} from "../src/Errors.sol";
import {Router} from "./IRouter.sol";
import {Pack} from "./SwapBase.sol";
import {SwapAttacksBase, V3} from "./SwapAttacksBase.sol";
import {Action, Puppet} from "./mocks/Puppet.sol";
import {V3LikePool} from "./mocks/Venues.sol";

/// @dev Callbacks: who is believed, with which words, how often.
contract SwapCallbackAttacksTest is SwapAttacksBase {
    function test_callbackFromNobodyIsRefused() public {
        vm.startPrank(stranger);
        bytes memory reason = abi.encodeWithSelector(UnexpectedCall.selector, stranger);
        Action[] memory calls = new Action[](4);
        calls[0].data = callback(words(address(weth), victim, 1 ether), 1 ether, -1);
        calls[1].data = callback(words(address(weth), victim, 0), 0, 0);
        calls[2].data = abi.encodeCall(Router.unlockCallback, (batch(victim)));
        calls[3].data = abi.encodeWithSignature("anyOtherFunction()");
        for (uint256 i = 0; i < calls.length; ++i) {
            (bool ok, bytes memory result) = address(router).call(calls[i].data);
            assertTrue(!ok && keccak256(result) == keccak256(reason), "believed");
        }
        vm.stopPrank();
        assertVictimWhole();
    }

    function test_callbackFromAnotherPoolIsRefused() public {
        Puppet other = new Puppet();
        other.setScript(0x00000001, list(refused(address(router), honest(), UNEXPECTED)), "");
        Action[] memory first = join(list(act(address(other), hex"00000001")), list(act(address(router), honest())));
        armPool(join(first, list(pays(user, 1 ether))), 1 ether);
        swap(evilOrder(1 ether));
        assertEq(other.runsOf(0x00000001), 1, "the other pool has tried");
        assertEq(weth.balanceOf(address(other)), 0, "the other pool's WETH");
        assertEq(weth.balanceOf(user), 99 ether, "paid once");
    }

    function test_callbackWithOtherWordsIsRefused() public {
        Action[] memory tries = new Action[](9);
        bytes memory good = words(address(weth), user, 1 ether);
        tries[0].data = callback(words(address(usdc), user, 1 ether), 1 ether, -1);
        tries[1].data = callback(words(address(weth), victim, 1 ether), 1 ether, -1);
        tries[2].data = callback(words(address(weth), address(router), 1 ether), 1 ether, -1);
        tries[3].data = callback(words(address(weth), user, 2 ether), 2 ether, -1);
        tries[4].data = callback(abi.encode(uint256(uint160(address(weth))) | (1 << 200), user, 1 ether), 1 ether, -1);
        tries[5].data = callback(abi.encodePacked(bytes1(0), good), 1 ether, -1);
        tries[6].data = callback(abi.encode(user, weth, 1 ether), 1 ether, -1);
        tries[7].data = callback("", 1 ether, -1);
        tries[8].data = abi.encodePacked(bytes4(0), good);
        for (uint256 i = 0; i < tries.length; ++i) {
            (tries[i].target, tries[i].refusedWith) = (address(router), UNEXPECTED);
        }
        armPool(join(tries, join(list(act(address(router), honest())), list(pays(user, 1 ether)))), 1 ether);
        swap(evilOrder(1 ether));
        assertEq(weth.balanceOf(user), 99 ether, "paid once");
        assertVictimWhole();
    }

    function test_poolThatTakesMoreOrLessThanGivenIsRefused() public {
        int256[5] memory asked = [int256(1 ether + 1), 1 ether - 1, 1, 0, type(int256).max];
        for (uint256 i = 0; i < asked.length; ++i) {
            bytes memory asks = callback(words(address(weth), user, 1 ether), asked[i], -1);
            armPool(join(list(act(address(router), asks)), list(pays(user, 1 ether))), 1 ether);
            // What is not above zero is the output: then the other delta counts.
            uint256 owed = asked[i] == 0 ? type(uint256).max : uint256(asked[i]);
            expectSwapReverts(0, evilOrder(0), abi.encodeWithSelector(PartialFill.selector, 1 ether, owed));
        }
    }

    function test_poolIsPaidOnceAndNotAfterwards() public {
        Action[] memory actions = new Action[](3);
        actions[0] = act(address(router), honest());
        actions[1] = refused(address(router), honest(), UNEXPECTED);
        actions[2] = pays(user, 1 ether);
        armPool(actions, 1 ether);
        swap(evilOrder(1 ether));
        assertEq(weth.balanceOf(user), 99 ether, "paid once");

        evil.setScript(0x00000001, list(refused(address(router), honest(), UNEXPECTED)), "");
        (bool ok, ) = address(evil).call(hex"00000001");
        assertTrue(ok && evil.runsOf(0x00000001) == 1, "after the swap");
    }

    function test_poolThatNeverCallsBackIsRefused() public {
        armPool(list(pays(user, 1 ether)), 1 ether);
        bytes memory reason = abi.encodeWithSelector(CallbackNotUsed.selector, evil);
        expectSwapReverts(0, evilOrder(0), reason);
        // Nor is there a callback from where no code is.
        bytes memory order = Pack.order(plainHead(1 ether), v3Leg(stranger));
        expectSwapReverts(0, order, abi.encodeWithSelector(CallbackNotUsed.selector, stranger));

        evil.setScript(bytes4(keccak256("unlock(bytes)")), none(), abi.encode(abi.encode(1 ether)));
        order = Pack.order(plainHead(1 ether), Pack.v4(address(evil), 500));
        expectSwapReverts(0, order, reason);
    }

    function test_commitmentOfOneHopIsWorthNothingInAnother() public {
        // Hop 1 is an honest pool. Hop 2 tries hop 1's words, the words of the payer, and has another try hop 2's.
        V3LikePool first = pools[address(weth)][tokens[2]];
        uint256 between = swapOutput(1 ether);
        bytes memory own = callback(words(tokens[2], address(router), between), int256(between), -1);
        Puppet other = new Puppet();
        other.setScript(0x00000001, list(refused(address(router), own, UNEXPECTED)), "");
        Action[] memory actions = new Action[](6);
        actions[0] = refused(address(router), honest(), UNEXPECTED);
        actions[1] = refused(
            address(router),
            callback(words(tokens[2], user, between), int256(between), -1),
            UNEXPECTED
        );
        actions[2] = act(address(other), hex"00000001");
        actions[3] = act(address(router), own);
        actions[4] = refused(address(router), own, UNEXPECTED);
        actions[5] = pays(user, 1 ether);
        bool zeroForOne = tokens[2] < address(usdc);
        int256 out = -1 ether;
        evil.setScript(V3.swap.selector, actions, zeroForOne ? abi.encode(1, out) : abi.encode(out, 1));

        uint8 kind = Pack.V3 | (address(weth) < tokens[2] ? Pack.ZERO_FOR_ONE : 0);
        bytes memory hops = abi.encodePacked(kind, first, Pack.kind(Pack.V3, zeroForOne), evil, tokens[2]);
        swap(Pack.order(plainHead(1 ether), hops));
        assertEq(usdc.balanceOf(user), 101 ether, "gained");
        assertEq(IERC20(tokens[2]).balanceOf(user), 100 ether, "the sender's own token");
        assertEq(weth.balanceOf(user), 99 ether, "spent");
        assertRouterEmpty();
    }

    function test_laterPoolCannotUseTheCallbackOfAnEarlierOne() public {
        // Two legs over the same pool and amount: the words are the same, and each leg pays once.
        Action[] memory actions = new Action[](3);
        actions[0] = act(address(router), callback(words(address(weth), user, 0.5 ether), 0.5 ether, -1));
        actions[1] = refused(address(router), actions[0].data, UNEXPECTED);
        actions[2] = pays(user, 0.5 ether);
        armPool(actions, 0.5 ether);
        bytes memory one = v3Leg(address(evil));
        swap(Pack.order(plainHead(1 ether), abi.encodePacked(Pack.shared(one, 5000), one)));
        assertEq(weth.balanceOf(user), 99 ether, "paid twice, half each");
    }

    function test_wordsOfOneFamilyAreNotThoseOfTheOther() public {
        // V3's words through unlockCallback: bare, and behind the pool's address as the hash has them.
        bytes memory v3Words = words(address(weth), user, 1 ether);
        bytes memory asBatch = abi.encodePacked(batch(victim), v3Words);
        Action[] memory actions = new Action[](5);
        actions[0] = refused(address(router), abi.encodeCall(Router.unlockCallback, (v3Words)), UNEXPECTED);
        actions[1] = refused(
            address(router),
            abi.encodeCall(Router.unlockCallback, (abi.encodePacked(v3Words, bytes32(uint256(uint160(address(evil))))))),
            UNEXPECTED
        );
        actions[2] = refused(address(router), abi.encodeCall(Router.unlockCallback, (asBatch)), UNEXPECTED);
        actions[3] = act(address(router), honest());
        actions[4] = pays(user, 1 ether);
        armPool(actions, 1 ether);
        swap(evilOrder(1 ether));

        // V4's data through the fallback, at the places where it reads token, payer and amount.
        bytes memory data = batch(user);
        actions = new Action[](4);
        actions[0] = refused(address(router), callback(data, 1 ether, -1), UNEXPECTED);
        actions[1] = refused(address(router), callback(words(address(weth), user, 1 ether), 1 ether, -1), UNEXPECTED);
        actions[2] = refused(address(router), abi.encodePacked(bytes4(0), bytes32(0), data), UNEXPECTED);
        actions[3] = act(address(router), abi.encodeCall(Router.unlockCallback, (data)));
        armManager(actions, 0);
        swap(Pack.order(plainHead(1 ether), Pack.v4(address(evil), 500)));
        assertEq(weth.balanceOf(user), 98 ether, "paid once each");
        assertVictimWhole();
    }
}
