// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {AmountOutOfRange, MalformedSwap} from "../src/Errors.sol";
import {NATIVE} from "../src/Types.sol";
import {Pack, SwapHead} from "./SwapBase.sol";
import {SwapAttacksBase, V3} from "./SwapAttacksBase.sol";
import {Action, Puppet} from "./mocks/Puppet.sol";
import {V2LikePair} from "./mocks/Venues.sol";

/// @dev Orders that are none, amounts at their limits, and any bytes at all.
contract SwapOrdersTest is SwapAttacksBase {
    uint256 private constant HEAD = 4 + 1 + 16 + 16 + 20 + 20;

    /// @dev All flags but those of ether, all families, two legs.
    function richOrder() private view returns (bytes memory) {
        SwapHead memory head = plainHead(1 ether);
        (head.deadline, head.accountId, head.referralCode) = (uint32(block.timestamp), "account", "ref");
        (head.receiver, head.feeReceiver, head.fee) = (receiver, feeReceiver, 0.1 ether);
        address[] memory path = new address[](5);
        (path[0], path[1], path[2], path[3], path[4]) = (tokens[0], tokens[2], tokens[3], tokens[4], tokens[1]);
        uint8[] memory families = new uint8[](4);
        (families[0], families[1], families[2], families[3]) = (Pack.V3, Pack.V4, Pack.V2_MEASURED, Pack.V3);
        bytes memory second = leg(list(Pack.V4, Pack.V4), list(tokens[0], tokens[3], tokens[1]));
        return Pack.order(head, abi.encodePacked(Pack.shared(leg(families, path), 5000), second));
    }

    function test_orderCutAtAnyByteOrOneByteTooLongIsRefused() public {
        bytes memory order = richOrder();
        for (uint256 size = 4; size < order.length; ++size) expectNotSwapped(cut(order, size));
        for (uint256 more = 0; more < 256; ++more) expectNotSwapped(abi.encodePacked(order, uint8(more)));
        swap(order);
        assertTrue(usdc.balanceOf(receiver) > 0.8 ether, "the whole order is carried out");
        assertRouterEmpty();
    }

    function test_malformedHeadsAreRefused() public {
        bytes memory good = Pack.v4(address(manager), 500);
        SwapHead memory head = plainHead(1 ether);
        uint8[3] memory wrong = [0x80, Pack.WRAP | Pack.ETHER, 0x80 | Pack.WRAP];
        for (uint256 i = 0; i < wrong.length; ++i) {
            head.flags = wrong[i];
            expectMalformed(Pack.order(head, good), 4);
        }
        head.flags = 0;
        expectMalformed(Pack.order(head, ""), HEAD);
    }

    function test_malformedHopsAreRefused() public {
        bytes memory good = v3Leg(address(pool));
        uint8[3] memory unknown = [0x08, 0x10, 0x20];
        for (uint256 i = 0; i < unknown.length; ++i) {
            bytes memory bad = bytes.concat(good);
            bad[0] = bytes1(uint8(bad[0]) | unknown[i]);
            expectMalformed(packed(bad), HEAD);
        }
        expectMalformed(packed(abi.encodePacked(Pack.kind(Pack.V4, true), manager, uint24(500), int24(60))), HEAD);
        expectMalformed(packed(Pack.v2(address(pairs[address(weth)][address(usdc)]), true, 10_000)), HEAD);
        expectMalformed(packed(Pack.v2(address(pairs[address(weth)][address(usdc)]), true, 65_535)), HEAD);

        // The last hop says that another follows: whatever would be sent on would be sent to nobody.
        bytes memory open = bytes.concat(good);
        open[0] = bytes1(uint8(open[0]) & ~Pack.LAST);
        expectNotSwapped(packed(open));
        expectNotSwapped(packed(abi.encodePacked(Pack.V4, manager, uint24(500), int24(60), tokens[2])));
    }

    function test_sharesThatAreNotSharesAreRefused() public {
        bytes memory one = v3Leg(address(pool));
        bytes memory two = leg(list(Pack.V3), list(address(weth), address(usdc)));
        uint16[3] memory wrong = [0, 10_000, 65_535];
        for (uint256 i = 0; i < wrong.length; ++i) {
            expectMalformed(packed(abi.encodePacked(Pack.shared(one, wrong[i]), two)), HEAD);
        }
        // A share of the last leg, and none of the one before it.
        expectMalformed(packed(Pack.shared(one, 5000)), HEAD + 23);
        expectMalformed(packed(abi.encodePacked(Pack.shared(one, 5000), Pack.shared(two, 5000))), HEAD + 46);
        expectMalformed(packed(abi.encodePacked(one, two)), HEAD + 21);
        // A share at a hop that does not begin its leg.
        bytes memory first = leg(list(Pack.V3), list(address(weth), tokens[2]));
        first[0] = bytes1(uint8(first[0]) & ~Pack.LAST);
        bytes memory second = abi.encodePacked(Pack.kind(Pack.V3, true) | Pack.SHARE, uint16(5000), pool, tokens[2]);
        expectMalformed(packed(abi.encodePacked(first, second)), HEAD + 21);
    }

    function test_amountsBeyond128BitsAreRefused() public {
        // What a pool says that it has sent; above zero it says that it has sent less than nothing.
        int256[4] memory sent = [-int256(1 << 128), type(int256).min, 1, type(int256).max];
        bool zeroForOne = address(weth) < address(usdc);
        for (uint256 i = 0; i < sent.length; ++i) {
            evil.setScript(
                V3.swap.selector,
                list(act(address(router), honest())),
                zeroForOne ? abi.encode(1, sent[i]) : abi.encode(sent[i], 1)
            );
            bytes memory reason = abi.encodeWithSelector(AmountOutOfRange.selector, negated(sent[i]));
            expectSwapReverts(0, evilOrder(0), reason);
        }
        // What has arrived at a measured pair.
        evil.setScript(V2LikePair.getReserves.selector, none(), abi.encode(0, 0, 0));
        usdc.mint(address(evil), 1 << 128);
        bytes memory hop = abi.encodePacked(Pack.kind(Pack.V2_MEASURED, zeroForOne), evil, uint16(30), usdc);
        uint256 arrived = usdc.balanceOf(address(evil));
        expectSwapReverts(0, packed(hop), abi.encodeWithSelector(AmountOutOfRange.selector, arrived));
    }

    function test_amountsOf128BitsAreExact() public {
        // 2^128 - 1 in two legs, one wei apart; each pool gives back what it took.
        uint128 most = type(uint128).max;
        usdc.mint(user, most);
        Puppet other = new Puppet();
        uint256 half = most / 2;
        arm(evil, half);
        arm(other, half + 1);
        SwapHead memory head = plainHead(most);
        (head.tokenIn, head.tokenOut, head.minimum, head.receiver) = (address(usdc), address(usdc), most, receiver);
        bytes memory legs = abi.encodePacked(
            Pack.shared(Pack.v3(address(evil), true), 5000),
            Pack.v3(address(other), true)
        );
        assertEq(swap(Pack.order(head, legs)), most, "returned");
        assertEq(usdc.balanceOf(receiver), most, "gained");
        assertEq(usdc.balanceOf(user), 100 ether, "spent");
        assertRouterEmpty();
    }

    function arm(Puppet puppet, uint256 amount) private {
        Action[] memory actions = new Action[](2);
        actions[0] = act(address(router), callback(words(address(usdc), user, amount), int256(amount), -1));
        actions[1] = pays(receiver, amount);
        puppet.setScript(V3.swap.selector, actions, abi.encode(1, -int256(amount)));
    }

    /// @dev The victim has approved the Router for everything, and so has the sender.
    function testFuzz_anyBytesMoveOnlyTheSendersFunds(bytes calldata order_, uint96 value) public {
        armAnything(order_);
        vm.prank(user);
        (bool ok, ) = address(router).call{value: value % 1 ether}(abi.encodePacked(bytes4(keccak256("swap()")), order_));
        ok;
        assertVictimWhole();
        assertRouterEmpty();
    }

    function testFuzz_anyCallbackMovesNothing(bytes calldata data, uint256 amount) public {
        bytes[6] memory calls;
        calls[0] = data;
        calls[1] = callback(data, int256(amount), -1);
        calls[2] = callback(words(address(weth), victim, amount), int256(amount), -1);
        calls[3] = abi.encodeWithSignature("unlockCallback(bytes)", data);
        calls[4] = abi.encodeWithSignature("unlockCallback(bytes)", batch(victim, amount, data));
        calls[5] = abi.encodePacked(bytes4(data), words(address(weth), victim, amount), data);
        for (uint256 i = 0; i < calls.length; ++i) {
            vm.prank(stranger);
            (bool ok, ) = address(router).call(calls[i]);
            ok;
        }
        assertVictimWhole();
    }

    /// @dev A good order with a word at any place replaced by one that means something.
    function testFuzz_goodOrderWithAnyWordReplacedMovesOnlyTheSendersFunds(
        uint256 place,
        uint256 word,
        uint8 size,
        bytes calldata inside
    ) public {
        bytes memory order_ = place % 2 == 0 ? richOrder() : evilOrder(0);
        armAnything(inside);
        address[9] memory known = [
            victim,
            address(weth),
            address(usdc),
            address(router),
            address(evil),
            address(manager),
            router.executorOf(user),
            NATIVE,
            address(0)
        ];
        bytes32 value = bytes32(word);
        uint256 bytes_ = (uint256(size) % 32) + 1;
        if (word % 3 != 0) (value, bytes_) = (bytes32(bytes20(known[word % known.length])), 20);
        uint256 from = 4 + ((place >> 1) % (order_.length - 4));
        for (uint256 i = 0; i < bytes_ && from + i < order_.length; ++i) order_[from + i] = value[i];
        vm.prank(user);
        (bool ok, ) = address(router).call{value: word % 5 == 0 ? 1 ether : 0}(order_);
        ok;
        assertVictimWhole();
    }

    /// @dev `evil` answers every function with any bytes and with callbacks that name the victim.
    function armAnything(bytes calldata data) private {
        bytes4 either = evil.EITHER();
        Action[] memory actions = new Action[](6);
        actions[0] = refused(address(router), data, either);
        actions[1] = refused(address(router), callback(words(address(weth), victim, 1 ether), 1 ether, -1), either);
        actions[2] = refused(address(router), callback(data, 1 ether, -1), either);
        actions[3] = refused(address(router), abi.encodeWithSignature("unlockCallback(bytes)", batch(victim)), either);
        actions[4] = refused(address(router), honest(), either);
        actions[5] = refused(address(router), abi.encodeWithSignature("unlockCallback(bytes)", batch(user)), either);
        evil.setScript(V3.swap.selector, actions, abi.encode(-1 ether, -1 ether));
        evil.setScript(bytes4(keccak256("unlock(bytes)")), actions, abi.encode(abi.encode(1 ether)));
        evil.setScript(V2LikePair.swap.selector, actions, "");
        evil.setScript(V2LikePair.getReserves.selector, none(), abi.encode(1 ether, 1 ether, 0));
        evil.setScript(IERC20.transferFrom.selector, actions, abi.encode(1));
        evil.setScript(IERC20.transfer.selector, actions, abi.encode(1));
    }

    function packed(bytes memory legs) private view returns (bytes memory) {
        return Pack.order(plainHead(1 ether), legs);
    }

    function negated(int256 value) private pure returns (uint256) {
        unchecked {
            return uint256(-value);
        }
    }

    function cut(bytes memory data, uint256 size) private pure returns (bytes memory result) {
        result = new bytes(size);
        for (uint256 i = 0; i < size; ++i) result[i] = data[i];
    }

    function expectMalformed(bytes memory order_, uint256 position) private {
        expectSwapReverts(0, order_, abi.encodeWithSelector(MalformedSwap.selector, position));
    }

    function expectNotSwapped(bytes memory order_) private {
        vm.prank(user);
        (bool ok, ) = address(router).call(order_);
        assertTrue(!ok, "carried out");
    }
}
