// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {DeadlinePassed, FeeAboveInput, InsufficientOutput, WrongValue} from "../src/Errors.sol";
import {Routed} from "../src/Types.sol";
import {Pack, SwapBase, SwapHead} from "./SwapBase.sol";
import {TaxedToken} from "./mocks/Tokens.sol";
import {V2LikePair} from "./mocks/Venues.sol";

/// @dev What Router.swap() does when nobody lies; amounts to the wei.
contract SwapsTest is SwapBase {
    function test_everyMixOfOneToFourHops() public {
        for (uint256 hops = 1; hops <= 4; ++hops) {
            for (uint256 mix = 0; mix < 4 ** hops; ++mix) swapMix(hops, mix);
        }
    }

    function swapMix(uint256 hops, uint256 mix) private {
        uint8[] memory families = new uint8[](hops);
        address[] memory path = new address[](hops + 1);
        path[0] = tokens[0];
        for (uint256 i = 0; i < hops; ++i) {
            families[i] = uint8((mix >> (2 * i)) % 4);
            path[i + 1] = tokens[i + 1];
        }
        SwapHead memory head = plainHead(0.1 ether);
        head.tokenOut = path[hops];
        uint256 expected = quote(families, path, head.amountIn);
        head.minimum = uint128(expected);
        uint256 spent = weth.balanceOf(user);
        uint256 gained = ERC20(head.tokenOut).balanceOf(user);
        assertEq(swap(Pack.order(head, leg(families, path))), expected, "returned");
        assertEq(spent - weth.balanceOf(user), head.amountIn, "spent");
        assertEq(ERC20(head.tokenOut).balanceOf(user) - gained, expected, "gained");
        assertRouterEmpty();

        head.minimum = uint128(expected + 1);
        expected = quote(families, path, head.amountIn);
        head.minimum = uint128(expected + 1);
        expectSwapReverts(
            0,
            Pack.order(head, leg(families, path)),
            abi.encodeWithSelector(InsufficientOutput.selector, head.tokenOut, expected + 1, expected)
        );
    }

    function test_legsTakeTheirShareOfWhatIsLeftAndTheLastAllOfIt() public {
        address[] memory direct = list(address(weth), address(usdc));
        address[] memory around = list(address(weth), tokens[2], address(usdc));
        uint8[] memory two = list(Pack.V4, Pack.V2);
        // 1/3 rounded down, then half of what is left, then the rest.
        uint256 a = (uint256(1 ether + 1) * 3333) / 10_000;
        uint256 b = ((1 ether + 1 - a) * 5000) / 10_000;
        uint256 c = 1 ether + 1 - a - b;
        uint256 expected = quote(list(Pack.V2), direct, a) + quote(list(Pack.V3), direct, b) + quote(two, around, c);
        SwapHead memory head = plainHead(1 ether + 1);
        (head.minimum, head.receiver) = (uint128(expected), receiver);
        bytes memory legs = abi.encodePacked(
            Pack.shared(leg(list(Pack.V2), direct), 3333),
            Pack.shared(leg(list(Pack.V3), direct), 5000),
            leg(two, around)
        );
        assertEq(swap(Pack.order(head, legs)), expected, "returned");
        assertEq(usdc.balanceOf(receiver), expected, "gained");
        assertEq(weth.balanceOf(user), 99 ether - 1, "spent");
        assertRouterEmpty();
    }

    function test_etherIsWrappedForEveryFamilyAndShares() public {
        SwapHead memory head = plainHead(0);
        (head.flags, head.receiver) = (Pack.WRAP, receiver);
        address[] memory direct = list(address(weth), address(usdc));
        uint256 got = 0;
        for (uint8 family = 0; family < 4; ++family) {
            uint256 expected = quote(list(family), direct, 1 ether);
            assertEq(swapAs(user, 1 ether, Pack.order(head, leg(list(family), direct))), expected, "returned");
            got += expected;
        }
        bytes memory legs = abi.encodePacked(
            Pack.shared(leg(list(Pack.V4), direct), 2500),
            leg(list(Pack.V3), direct)
        );
        got += quote(list(Pack.V4), direct, 0.25 ether) + quote(list(Pack.V3), direct, 0.75 ether);
        swapAs(user, 1 ether, Pack.order(head, legs));
        assertEq(usdc.balanceOf(receiver), got, "gained");
        assertEq(user.balance, 95 ether, "ether spent");
        assertEq(weth.balanceOf(user), 100 ether, "the sender's WETH");
        assertRouterEmpty();
    }

    function test_outputIsUnwrappedForEveryFamily() public {
        SwapHead memory head = plainHead(1 ether);
        (head.tokenIn, head.tokenOut) = (address(usdc), address(weth));
        (head.flags, head.receiver) = (Pack.UNWRAP, receiver);
        address[] memory path = list(address(usdc), address(weth));
        for (uint8 family = 0; family < 4; ++family) {
            uint256 expected = quote(list(family), path, 1 ether);
            uint256 before = receiver.balance;
            head.minimum = uint128(expected);
            bytes memory order = Pack.order(head, leg(list(family), path));
            assertEq(swap(order), expected, "returned");
            assertEq(receiver.balance - before, expected, "gained");
            assertRouterEmpty();
        }
    }

    function test_etherGoesThroughV4PoolsAsItIs() public {
        SwapHead memory head = plainHead(0);
        (head.flags, head.tokenIn, head.minimum) = (Pack.ETHER, address(0), 0.999 ether);
        assertEq(swapAs(user, 1 ether, Pack.order(head, Pack.v4(address(manager), 500))), 0.999 ether, "ether in");
        assertEq(user.balance, 99 ether, "ether spent");

        // Back to ether, which the manager pays to the receiver; then in two legs with shares.
        head = plainHead(1 ether);
        (head.tokenIn, head.tokenOut, head.receiver) = (address(usdc), address(0), receiver);
        assertEq(swap(Pack.order(head, Pack.v4(address(manager), 500))), 0.999 ether, "ether out");
        assertEq(receiver.balance, 0.999 ether, "gained");

        head = plainHead(0);
        (head.flags, head.tokenIn) = (Pack.ETHER, address(0));
        bytes memory one = Pack.v4(address(manager), 500);
        swapAs(user, 1 ether, Pack.order(head, abi.encodePacked(Pack.shared(one, 1), one)));
        assertEq(user.balance, 98 ether, "ether spent in two legs");
        assertRouterEmpty();
    }

    function test_etherInTheMiddleStaysWithinOneUnlock() public {
        // USDC to ether to another token, which no callback and no wrapping touches.
        SwapHead memory head = plainHead(1 ether);
        (head.tokenIn, head.tokenOut) = (address(usdc), tokens[2]);
        bytes memory hops = abi.encodePacked(
            abi.encodePacked(Pack.V4, manager, uint24(500), int24(10), address(0)),
            abi.encodePacked(Pack.V4 | Pack.LAST, uint24(500), int24(10))
        );
        assertEq(swap(Pack.order(head, hops)), swapOutput(swapOutput(1 ether)), "returned");
        assertRouterEmpty();
    }

    function test_feeIsTakenFromTheInput() public {
        SwapHead memory head = plainHead(1 ether);
        (head.feeReceiver, head.fee) = (feeReceiver, 0.1 ether);
        bytes memory legs = v3Leg(address(pool));
        assertEq(swap(Pack.order(head, legs)), swapOutput(0.9 ether), "returned");
        assertEq(weth.balanceOf(feeReceiver), 0.1 ether, "fee");
        assertEq(weth.balanceOf(user), 99 ether, "spent");

        head.flags = Pack.WRAP;
        swapAs(user, 1 ether, Pack.order(head, legs));
        assertEq(feeReceiver.balance, 0.1 ether, "fee in ether");
        head.flags = Pack.ETHER;
        swapAs(user, 1 ether, Pack.order(head, Pack.v4(address(manager), 500)));
        assertEq(feeReceiver.balance, 0.2 ether, "fee in ether that is not wrapped");
        assertEq(usdc.balanceOf(user), 100 ether + 3 * swapOutput(0.9 ether), "gained");

        head.fee = 1 ether + 1;
        bytes memory reason = abi.encodeWithSelector(FeeAboveInput.selector, address(0), 1 ether + 1, 1 ether);
        expectSwapReverts(1 ether, Pack.order(head, Pack.v4(address(manager), 500)), reason);
        assertRouterEmpty();
    }

    function test_theEventHasTheTagsAndTheReceiver() public {
        SwapHead memory head = plainHead(1 ether);
        vm.expectEmit(true, true, true, true, address(router));
        emit Routed(0, 0, user, user);
        swap(Pack.order(head, v3Leg(address(pool))));

        (head.accountId, head.referralCode, head.receiver) = (keccak256("account"), "ref", receiver);
        vm.expectEmit(true, true, true, true, address(router));
        emit Routed(keccak256("account"), "ref", user, receiver);
        swap(Pack.order(head, v3Leg(address(pool))));
        assertEq(usdc.balanceOf(receiver), swapOutput(1 ether), "gained");
    }

    function test_deadlineIsTheLastSecond() public {
        SwapHead memory head = plainHead(1 ether);
        head.deadline = uint32(block.timestamp);
        bytes memory order = Pack.order(head, v3Leg(address(pool)));
        swap(order);
        vm.warp(block.timestamp + 1);
        bytes memory reason = abi.encodeWithSelector(DeadlinePassed.selector, head.deadline, block.timestamp);
        expectSwapReverts(0, order, reason);
    }

    function test_valueBesideATokenIsRefused() public {
        bytes memory order = Pack.order(plainHead(1 ether), v3Leg(address(pool)));
        expectSwapReverts(1, order, abi.encodeWithSelector(WrongValue.selector, 0, 1));
    }

    function test_taxedTokensGoThroughMeasuredPairs() public {
        TaxedToken taxed = new TaxedToken();
        V2LikePair pair = new V2LikePair(taxed, usdc);
        V2LikePair next = new V2LikePair(taxed, weth);
        taxed.mint(address(pair), 100 ether);
        taxed.mint(address(next), 100 ether);
        usdc.mint(address(pair), 100 ether);
        weth.transfer(address(next), 100 ether);
        pair.sync();
        next.sync();
        // WETH to the taxed token to USDC: the second pair gets 1 % less than the first one sent.
        bool first = address(weth) < address(taxed);
        bool second = address(taxed) < address(usdc);
        bytes memory hops = abi.encodePacked(
            abi.encodePacked(first ? Pack.ZERO_FOR_ONE : 0, next, uint16(30)),
            abi.encodePacked(Pack.kind(Pack.V2_MEASURED, second), pair, uint16(30), taxed)
        );
        uint256 sent = constantProduct(1 ether);
        uint256 expected = constantProduct(sent - sent / 100);
        SwapHead memory head = plainHead(1 ether);
        head.minimum = uint128(expected);
        assertEq(swap(Pack.order(head, hops)), expected, "returned");
        assertRouterEmpty();

        // The pair that believes the amount gives more than it got, and refuses.
        hops = abi.encodePacked(
            abi.encodePacked(first ? Pack.ZERO_FOR_ONE : 0, next, uint16(30)),
            abi.encodePacked(Pack.kind(Pack.V2, second), pair, uint16(30))
        );
        expectSwapReverts(0, Pack.order(head, hops), abi.encodeWithSignature("Error(string)", "K"));
    }

    function test_taxedOutputCountsAsWhatArrives() public {
        TaxedToken taxed = new TaxedToken();
        V2LikePair pair = new V2LikePair(taxed, weth);
        taxed.mint(address(pair), 100 ether);
        weth.transfer(address(pair), 100 ether);
        pair.sync();
        uint256 sent = constantProduct(1 ether);
        SwapHead memory head = plainHead(1 ether);
        (head.tokenOut, head.minimum) = (address(taxed), uint128(sent));
        bytes memory hops = Pack.v2(address(pair), address(weth) < address(taxed), 30);
        uint256 arrives = sent - sent / 100;
        bytes memory reason = abi.encodeWithSelector(InsufficientOutput.selector, taxed, sent, arrives);
        expectSwapReverts(0, Pack.order(head, hops), reason);
        head.minimum = uint128(arrives);
        assertEq(swap(Pack.order(head, hops)), arrives, "returned");
    }

    /// @dev Of a pair with 100 ether of each, less 30 bps.
    function constantProduct(uint256 amount) private pure returns (uint256) {
        return (amount * 9970 * 100 ether) / (100 ether * 10_000 + amount * 9970);
    }
}
