// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {NotASwap, StepFailed, UnexpectedCall} from "../src/Errors.sol";
import {NATIVE, Order} from "../src/Types.sol";
import {CallbackPayer} from "../src/helpers/CallbackPayer.sol";
import {IUniswapV2Pair, UniswapV2Swapper} from "../src/helpers/UniswapV2Swapper.sol";
import {IPoolManager, PoolKey, SwapParams, UniswapV4Swapper} from "../src/helpers/UniswapV4Swapper.sol";
import {Base, Steps} from "./Base.sol";
import {HookedToken} from "./mocks/Tokens.sol";
import {V2LikePair, V3LikePool, V4LikeManager} from "./mocks/Venues.sol";

contract HelpersTest is Base {
    UniswapV2Swapper private v2 = UniswapV2Swapper(payable(deployShipped("UniswapV2Swapper")));
    UniswapV4Swapper private v4 = UniswapV4Swapper(payable(deployShipped("UniswapV4Swapper")));
    V2LikePair private pair;
    V4LikeManager private manager;

    function setUp() public override {
        super.setUp();
        pair = new V2LikePair(weth, usdc);
        weth.transfer(address(pair), 100 ether);
        usdc.mint(address(pair), 300 ether);
        pair.sync();
        manager = new V4LikeManager();
        usdc.mint(address(manager), 1_000 ether);
        weth.transfer(address(manager), 100 ether);
        vm.deal(address(manager), 1_000 ether);
    }

    function v2Steps(uint256 feeBps) private view returns (bytes memory) {
        bool zeroForOne = address(pair.token0()) == address(weth);
        bytes memory data = abi.encodeCall(
            UniswapV2Swapper.swap,
            (IUniswapV2Pair(address(pair)), weth, zeroForOne, feeBps, receiver)
        );
        return
            Steps.pack(
                Steps.transfer(address(weth), address(pair), Steps.balance(address(weth))),
                Steps.call(address(v2), data)
            );
    }

    function testFuzz_v2SwapTakesExactlyWhatThePairAllows(uint256 amount) public {
        amount = 1e6 + (amount % 100 ether);
        uint256 amountIn = amount * 997;
        uint256 expected = (amountIn * 300 ether) / (100 ether * 1000 + amountIn);
        vm.deal(user, amount);
        vm.prank(user);
        weth.deposit{value: amount}();
        uint256[] memory amounts = execute(
            paidBySteps(makeOrder(address(weth), amount, address(usdc), expected, v2Steps(30)))
        );
        assertEq(amounts[0], expected, "the pair's own formula");
        assertNothingLeft(user);
    }

    function test_v2SwapWithTooLowAFeeIsRefusedByThePair() public {
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 0, v2Steps(25));
        bytes memory reason = abi.encodeWithSignature("Error(string)", "K");
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 1, address(v2), reason));
        router.execute(order);
    }

    function key(address a, address b) private pure returns (PoolKey memory) {
        (address currency0, address currency1) = a < b ? (a, b) : (b, a);
        return PoolKey({currency0: currency0, currency1: currency1, fee: 500, tickSpacing: 10, hooks: address(0)});
    }

    function test_v4SwapsTokens() public {
        PoolKey memory pool_ = key(address(weth), address(usdc));
        bytes memory data = abi.encodeCall(
            UniswapV4Swapper.swap,
            (IPoolManager(address(manager)), pool_, pool_.currency0 == address(weth), receiver, "")
        );
        bytes memory steps = Steps.pack(
            Steps.transfer(address(weth), address(v4), Steps.balance(address(weth))),
            Steps.callWord(address(v4), 0, data)
        );
        uint256[] memory amounts = execute(
            paidBySteps(makeOrder(address(weth), 1 ether, address(usdc), swapOutput(1 ether), steps))
        );
        assertEq(amounts[0], swapOutput(1 ether), "what the receiver gained");
        assertEq(weth.balanceOf(address(v4)), 0, "left in the helper");
    }

    function test_v4SwapsNativeInAndGivesBackWhatThePoolDoesNotTake() public {
        manager.setCap(0.4 ether);
        PoolKey memory pool_ = key(address(0), address(usdc));
        bytes memory data = abi.encodeCall(
            UniswapV4Swapper.swap,
            (IPoolManager(address(manager)), pool_, true, receiver, "")
        );
        bytes memory swap = Steps.callValue(address(v4), Steps.balance(NATIVE), data);
        uint256[] memory amounts = executeAs(
            user,
            1 ether,
            paidBySteps(makeOrder(NATIVE, 1 ether, address(usdc), 1, Steps.pack(swap)))
        );
        assertEq(amounts[0], swapOutput(0.4 ether), "what the receiver gained");
        assertEq(refund.balance, 0.6 ether, "what the pool did not take");
        assertEq(address(v4).balance, 0, "left in the helper");
        assertNothingLeft(user);
    }

    function test_v4SwapsToNative() public {
        PoolKey memory pool_ = key(address(0), address(weth));
        bytes memory data = abi.encodeCall(
            UniswapV4Swapper.swap,
            (IPoolManager(address(manager)), pool_, false, receiver, "")
        );
        bytes memory steps = Steps.pack(
            Steps.transfer(address(weth), address(v4), Steps.balance(address(weth))),
            Steps.call(address(v4), data)
        );
        execute(paidBySteps(makeOrder(address(weth), 1 ether, NATIVE, swapOutput(1 ether), steps)));
        assertEq(receiver.balance, swapOutput(1 ether), "what the receiver gained");
    }

    function test_v4CallbackComesOnlyFromTheManagerOfTheSwap() public {
        vm.expectRevert(abi.encodeWithSelector(UnexpectedCall.selector, address(this)));
        v4.unlockCallback("");
    }

    function test_v4CannotBeReenteredWhileItHoldsTokens() public {
        // The output token calls the helper with a manager of the attacker's in the middle of the swap.
        HookedToken hook = new HookedToken();
        hook.mint(address(manager), 10 ether);
        PoolKey memory pool_ = key(address(weth), address(hook));
        hook.arm(
            address(v4),
            abi.encodeCall(UniswapV4Swapper.swap, (IPoolManager(stranger), pool_, true, stranger, ""))
        );
        bytes memory data = abi.encodeCall(
            UniswapV4Swapper.swap,
            (IPoolManager(address(manager)), pool_, pool_.currency0 == address(weth), receiver, "")
        );
        bytes memory steps = Steps.pack(
            Steps.transfer(address(weth), address(v4), Steps.balance(address(weth))),
            Steps.call(address(v4), data)
        );
        execute(paidBySteps(makeOrder(address(weth), 1 ether, address(hook), 1, steps)));
        assertTrue(hook.called() && !hook.succeeded(), "re-entered");
        assertTrue(bytes4(hook.result()) == UnexpectedCall.selector, "refused for another reason");
    }

    function test_payerPaysOnlyThePoolItCallsAndOnlyOnce() public {
        weth.transfer(address(payer), 1 ether);
        vm.expectRevert(abi.encodeWithSelector(UnexpectedCall.selector, address(this)));
        V3LikePool(address(payer)).configure(true, 1);

        pool.configure(false, 2);
        bytes memory data = swapData(receiver, 0.5 ether);
        vm.expectRevert(abi.encodeWithSelector(UnexpectedCall.selector, address(pool)));
        payer.callAndPay(address(pool), address(weth), data);
    }

    function test_payerGivesBackWhatThePoolDoesNotTake() public {
        weth.transfer(address(payer), 1 ether);
        uint256 before = weth.balanceOf(address(this));
        payer.callAndPay(address(pool), address(weth), swapData(receiver, 0.4 ether));
        assertEq(weth.balanceOf(address(this)) - before, 0.6 ether, "what came back");
        assertEq(usdc.balanceOf(receiver), swapOutput(0.4 ether), "the output");
    }

    function test_payerCannotBeReenteredWhileItHoldsTokens() public {
        HookedToken hook = new HookedToken();
        V3LikePool trap = new V3LikePool(weth, hook);
        hook.mint(address(trap), 10 ether);
        hook.arm(
            address(payer),
            abi.encodeCall(
                CallbackPayer.callAndPay,
                (address(weth), address(weth), abi.encodeCall(IERC20.transfer, (stranger, 1 ether)))
            )
        );
        weth.transfer(address(payer), 1 ether);
        bool zeroForOne = address(trap.token0()) == address(weth);
        bytes memory data = abi.encodeCall(V3LikePool.swap, (receiver, zeroForOne, 1 ether, 0, ""));
        payer.callAndPay(address(trap), address(weth), data);
        assertTrue(hook.called() && !hook.succeeded(), "re-entered");
        assertEq(weth.balanceOf(stranger), 0, "the stranger's WETH");
    }

    function test_allowancePlantedInThePayerIsWorthNothing() public {
        HookedToken hook = new HookedToken();
        V3LikePool trap = new V3LikePool(weth, hook);
        hook.mint(address(trap), 10 ether);
        // Whether or not the payer lets it, a stranger has it approve the output token for WETH.
        vm.prank(stranger);
        bytes memory plant = abi.encodeCall(IERC20.approve, (address(hook), 100 ether));
        try payer.callAndPay(address(weth), address(weth), plant) {} catch {}
        // The pool leaves 60 WETH of 100, which the token takes while it is being transferred.
        hook.arm(address(weth), abi.encodeCall(IERC20.transferFrom, (address(payer), stranger, 60 ether)));
        weth.transfer(address(payer), 100 ether);
        uint256 before = weth.balanceOf(address(this));
        bool zeroForOne = address(trap.token0()) == address(weth);
        bytes memory data = abi.encodeCall(V3LikePool.swap, (receiver, zeroForOne, 40 ether, 0, ""));
        hook.mint(address(trap), 40 ether);
        payer.callAndPay(address(trap), address(weth), data);
        assertTrue(hook.called() && !hook.succeeded(), "the planted allowance worked");
        assertEq(weth.balanceOf(address(this)) - before, 60 ether, "the refund");
    }

    function test_payerMakesNoCallButASwap() public {
        bytes[3] memory calls = [
            abi.encodeCall(IERC20.approve, (stranger, 1 ether)),
            abi.encodeCall(IERC20.transfer, (stranger, 1 ether)),
            bytes(hex"128acb")
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(NotASwap.selector, bytes4(calls[i])));
            payer.callAndPay(address(weth), address(weth), calls[i]);
        }
    }
}
