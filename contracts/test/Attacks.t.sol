// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {
    DeadlinePassed,
    ForeignTransferFrom,
    InsufficientOutput,
    InvalidReceiver,
    MalformedSteps,
    MissingReturnData,
    NoCode,
    NotOwner,
    NotRunner,
    NotDelegated,
    PatchOutOfRange,
    StepFailed,
    UnexpectedCall,
    UnknownOutput,
    WrongValue
} from "../src/Errors.sol";
import {Executor} from "../src/Executor.sol";
import {Router} from "./IRouter.sol";
import {Input, NATIVE, Order, Output} from "../src/Types.sol";
import {Wallet} from "../src/Wallet.sol";
import {Base, Steps} from "./Base.sol";
import {HookedToken, MockToken, TaxedToken, TetherLike} from "./mocks/Tokens.sol";
import {Recorder, V3LikePool} from "./mocks/Venues.sol";

/// @dev Every row of the table of attacks in docs/explanation/executor.md.
contract AttacksTest is Base {
    function transferFromData(address from, address to, uint256 amount) internal pure returns (bytes memory) {
        return abi.encodeCall(IERC20.transferFrom, (from, to, amount));
    }

    function test_strangerCannotDrainAnAllowanceGivenToTheRouter() public {
        // As an input: the Router pulls from the caller, who has nothing.
        Order memory order = makeOrder(address(weth), 1 ether, address(weth), 0, Steps.pack(poolSwap(receiver)));
        vm.prank(stranger);
        vm.expectRevert();
        router.execute(order);

        // As a step: the Executor has no allowance, and may not even ask.
        bytes memory steal = Steps.call(address(weth), transferFromData(user, stranger, 1 ether));
        order = makeOrder(address(weth), 0, address(weth), 0, Steps.pack(steal));
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(ForeignTransferFrom.selector, 0, user));
        router.execute(order);
        assertEq(weth.balanceOf(user), 100 ether, "the victim's WETH");
    }

    function test_strangerCannotSmuggleAForeignTransferFromByPatch() public {
        // The `from` of the call is the Executor itself until a patch writes the victim over it.
        address executor = router.executorOf(stranger);
        bytes memory steal = Steps.call(
            address(weth),
            transferFromData(executor, stranger, 1 ether),
            Steps.patch(4, Steps.literal(uint160(user)))
        );
        Order memory order = makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(steal));
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(ForeignTransferFrom.selector, 0, user));
        router.execute(order);
    }

    function test_shortTransferFromIsForeign() public {
        bytes memory data = abi.encodePacked(IERC20.transferFrom.selector, uint256(1));
        bytes memory truncated = abi.encodePacked(IERC20.transferFrom.selector, uint128(1));
        vm.startPrank(user);
        Order memory order = makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(Steps.call(address(weth), data)));
        vm.expectRevert(abi.encodeWithSelector(ForeignTransferFrom.selector, 0, address(1)));
        router.execute(order);
        order.steps = Steps.pack(Steps.call(address(weth), truncated));
        vm.expectRevert(abi.encodeWithSelector(ForeignTransferFrom.selector, 0, address(0)));
        router.execute(order);
    }

    function test_strangerCannotCallSomebodysExecutor() public {
        execute(makeOrder(address(weth), 1 ether, address(usdc), 0, Steps.pack(poolSwap(receiver))));
        Executor executor = Executor(payable(router.executorOf(user)));
        Order memory order = makeOrder(NATIVE, 0, NATIVE, 0, hex"00");

        vm.startPrank(stranger);
        vm.expectRevert(abi.encodeWithSelector(NotRunner.selector, stranger));
        executor.run(order);
        vm.expectRevert(abi.encodeWithSelector(NotRunner.selector, stranger));
        executor.runLegacy(toLegacy(order));
        vm.expectRevert(abi.encodeWithSelector(UnexpectedCall.selector, stranger));
        V3LikePool(address(executor)).configure(true, 1);
        vm.stopPrank();

        // The implementation behind the clones belongs to nobody.
        Executor implementation = Executor(payable(router.executorImplementation()));
        vm.expectRevert(abi.encodeWithSelector(NotRunner.selector, address(this)));
        implementation.run(order);
    }

    function test_strangerCannotCallSomebodysWallet() public {
        vm.startPrank(user);
        factory.deployAndRun(makeOrder(address(weth), 1 ether, address(weth), 0, hex"00"));
        vm.stopPrank();
        Wallet wallet = Wallet(payable(factory.walletOf(user)));
        weth.transfer(address(wallet), 1 ether);
        bytes memory steal = Steps.transfer(address(weth), stranger, Steps.literal(1 ether));
        Order memory order = makeOrder(address(weth), 0, address(weth), 0, Steps.pack(steal));

        vm.startPrank(stranger);
        vm.expectRevert(abi.encodeWithSelector(NotOwner.selector, stranger));
        wallet.execute(order);
        vm.expectRevert(abi.encodeWithSelector(NotRunner.selector, stranger));
        wallet.executePulled(order, new uint256[](1));
        // By way of the factory a stranger only reaches a wallet of its own.
        order.inputs[0].amount = 0;
        vm.expectRevert();
        factory.deployAndRun(order);
        assertEq(weth.balanceOf(address(wallet)), 1 ether, "the wallet's WETH");
    }

    function test_strangerCannotCallSomebodys7702Account() public {
        uint256 key = 0x7702;
        address account = vm.addr(key);
        fund(account);
        vm.signAndAttachDelegation(address(delegate), key);
        bytes memory steal = Steps.transfer(address(weth), stranger, Steps.literal(1 ether));
        Order memory order = makeOrder(address(weth), 1 ether, address(weth), 0, Steps.pack(steal));

        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(NotOwner.selector, stranger));
        router7702(account).execute(order);
        vm.prank(stranger);
        vm.expectRevert(abi.encodeWithSelector(NotOwner.selector, stranger));
        router7702(account).executeLegacy(toLegacy(order));
        vm.prank(stranger);
        vm.expectRevert(NotDelegated.selector);
        delegate.execute(order);
    }

    /// @dev Router and Delegate share the signature of `execute`.
    function router7702(address account) internal pure returns (Router) {
        return Router(account);
    }

    function test_stepCannotMakeTheRouterCallOrApproveAnything() public {
        Order memory inner = makeOrder(address(weth), 1 ether, address(weth), 0, hex"00");
        bytes memory nested = Steps.call(address(router), abi.encodeCall(Router.execute, (inner)));
        bytes memory reason = abi.encodeWithSelector(ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector);
        vm.startPrank(user);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 0, address(router), reason));
        router.execute(makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(nested)));

        // Any other function is a callback to it, which nobody waits for.
        bytes memory approve = Steps.call(address(router), abi.encodeCall(IERC20.approve, (stranger, 1 ether)));
        reason = abi.encodeWithSelector(UnexpectedCall.selector, router.executorOf(user));
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 0, address(router), reason));
        router.execute(makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(approve)));

        // What a step approves, the sender's Executor approves, never the Router.
        bytes memory own = Steps.approve(address(weth), stranger, Steps.literal(1 ether));
        router.execute(makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(own)));
        assertEq(weth.allowance(address(router), stranger), 0, "allowance of the Router");
    }

    function test_maliciousTokenCannotReenterTheRouter() public {
        // Without the lock the hook runs an order of the token's own in the middle of the victim's.
        HookedToken hook = new HookedToken();
        hook.mint(user, 1 ether);
        vm.prank(user);
        hook.approve(address(router), 1 ether);
        Order memory own = makeOrder(NATIVE, 0, NATIVE, 0, hex"00");
        hook.arm(address(router), abi.encodeCall(Router.execute, (own)));
        execute(makeOrder(address(hook), 1 ether, address(hook), 0, hex"00"));
        assertTrue(hook.called() && !hook.succeeded(), "the token re-entered");
        bytes4 expected = ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector;
        assertTrue(bytes4(hook.result()) == expected, "refused for another reason");
    }

    function test_allowancePlantedEarlierIsWorthNothingInAVictimsRoute() public {
        // The stranger's steps leave an allowance; with a shared executor it would reach the victim's WETH.
        HookedToken hook = new HookedToken();
        bytes memory plant = Steps.approve(address(weth), address(hook), Steps.literal(type(uint256).max));
        executeAs(stranger, 0, makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(plant)));
        assertEq(weth.allowance(router.executorOf(stranger), address(hook)), type(uint256).max, "planted");

        // The victim's route touches the hooked token while its Executor holds the WETH.
        address executor = router.executorOf(user);
        hook.mint(executor, 1);
        hook.arm(address(weth), transferFromData(executor, stranger, 1 ether));
        bytes memory touch = Steps.transfer(address(hook), address(pool), Steps.balance(address(hook)));
        execute(makeOrder(address(weth), 1 ether, address(usdc), 0, Steps.pack(touch, poolSwap(receiver))));
        assertTrue(hook.called() && !hook.succeeded(), "the planted allowance worked");
        assertEq(usdc.balanceOf(receiver), swapOutput(1 ether), "the victim's output");
    }

    function test_outputBelowTheMinimumReverts() public {
        uint256 output = swapOutput(1 ether);
        bytes memory steps = Steps.pack(poolSwap(receiver));
        vm.startPrank(user);
        vm.expectRevert(
            abi.encodeWithSelector(InsufficientOutput.selector, address(usdc), output + 1, output)
        );
        router.execute(paidBySteps(makeOrder(address(weth), 1 ether, address(usdc), output + 1, steps)));
        router.execute(paidBySteps(makeOrder(address(weth), 1 ether, address(usdc), output, steps)));

        // The same where the Executor pays.
        steps = Steps.pack(poolSwap(router.executorOf(user)));
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), output + 1, steps);
        vm.expectRevert(
            abi.encodeWithSelector(InsufficientOutput.selector, address(usdc), output + 1, output)
        );
        router.execute(order);
        order.outputs[0].minimum = output;
        router.execute(order);
    }

    function test_deadlinePassedReverts() public {
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 0, Steps.pack(poolSwap(receiver)));
        vm.warp(order.deadline + 1);
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(DeadlinePassed.selector, order.deadline, order.deadline + 1));
        router.execute(order);
    }

    function test_wrongValueReverts() public {
        vm.startPrank(user);
        Order memory order = makeOrder(NATIVE, 1 ether, NATIVE, 0, hex"00");
        vm.expectRevert(abi.encodeWithSelector(WrongValue.selector, 1 ether, 2 ether));
        router.execute{value: 2 ether}(order);
        order.inputs[0].token = address(weth);
        vm.expectRevert(abi.encodeWithSelector(WrongValue.selector, 0, 1));
        router.execute{value: 1}(order);
        vm.expectRevert(abi.encodeWithSelector(WrongValue.selector, 0, 1));
        factory.deployAndRun{value: 1}(order);
    }

    function test_forwardReferenceReverts() public {
        expectStepsRevert(
            Steps.pack(
                Steps.call(address(recorder), putData(), Steps.patch(4, Steps.output(1))),
                Steps.callWord(address(recorder), 0, putData())
            ),
            abi.encodeWithSelector(UnknownOutput.selector, 0, 1)
        );
        // A step is not earlier than itself.
        expectStepsRevert(
            Steps.pack(Steps.call(address(recorder), putData(), Steps.patch(4, Steps.output(0)))),
            abi.encodeWithSelector(UnknownOutput.selector, 0, 0)
        );
    }

    function test_referenceOutOfRangeReverts() public {
        bytes memory call = Steps.call(address(recorder), putData(), Steps.patch(4, Steps.output(255)));
        expectStepsRevert(Steps.pack(call), abi.encodeWithSelector(UnknownOutput.selector, 0, 255));
        // The earlier step has no output.
        expectStepsRevert(
            Steps.pack(
                Steps.call(address(recorder), putData()),
                Steps.call(address(recorder), putData(), Steps.patch(4, Steps.output(0)))
            ),
            abi.encodeWithSelector(UnknownOutput.selector, 1, 0)
        );
        // The return data has one word.
        expectStepsRevert(
            Steps.pack(Steps.callWord(address(recorder), 1, putData())),
            abi.encodeWithSelector(MissingReturnData.selector, 0, 1, 32)
        );
    }

    function test_patchOutsideTheDataReverts() public {
        expectPatchReverts(5, 36);
        expectPatchReverts(type(uint24).max, 36);
        // The selector decides which function runs: it is never patched.
        expectPatchReverts(3, 36);
    }

    function expectPatchReverts(uint24 offset, uint256 length) internal {
        expectStepsRevert(
            Steps.pack(Steps.call(address(recorder), putData(), Steps.patch(offset, Steps.literal(1)))),
            abi.encodeWithSelector(PatchOutOfRange.selector, 0, offset, length)
        );
    }

    function test_callToAnAddressWithoutCodeReverts() public {
        expectStepsRevert(
            Steps.pack(Steps.call(stranger, putData())),
            abi.encodeWithSelector(NoCode.selector, 0, stranger)
        );
    }

    function test_walletInitialisedTwiceIsRejected() public {
        vm.startPrank(user);
        factory.deployAndRun(makeOrder(address(weth), 1 ether, address(weth), 0, hex"00"));
        address wallet = factory.walletOf(user);
        // The owner is part of the code: there is no function to set it, and a second order deploys nothing.
        bytes32 code = wallet.codehash;
        (bool ok, ) = wallet.call(abi.encodeWithSignature("initialize(address)", stranger));
        assertTrue(!ok, "the wallet has an initialiser");
        factory.deployAndRun(makeOrder(address(weth), 1 ether, address(weth), 0, hex"00"));
        assertTrue(wallet.codehash == code, "the code changed");
        assertTrue(Wallet(payable(wallet)).owner() == user, "the owner changed");
        assertTrue(Wallet(payable(factory.walletImplementation())).factory() == address(factory), "factory");
    }

    function test_executorRefusesACallbackThatNoStepExpects() public {
        // The pool is called without a payToken: its callback must fail, though it is the step's target.
        bytes memory swap = Steps.call(address(pool), swapData(receiver, 1 ether));
        bytes memory reason = abi.encodeWithSelector(UnexpectedCall.selector, address(pool));
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 0, address(pool), reason));
        router.execute(makeOrder(address(weth), 1 ether, address(usdc), 0, Steps.pack(swap)));
    }

    function test_poolIsPaidOnlyOnce() public {
        pool.configure(false, 2);
        bytes memory swap = Steps.callPaid(
            address(pool),
            address(weth),
            swapData(receiver, 0),
            swapPatch(Steps.balance(address(weth), 5000))
        );
        bytes memory reason = abi.encodeWithSelector(UnexpectedCall.selector, address(pool));
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 0, address(pool), reason));
        router.execute(makeOrder(address(weth), 2 ether, address(usdc), 0, Steps.pack(swap)));
    }

    function test_strangerCannotAnswerForTheTarget() public {
        // In the middle of the swap the output token calls the Executor as if it were the pool.
        HookedToken hook = new HookedToken();
        V3LikePool trap = new V3LikePool(weth, hook);
        hook.mint(address(trap), 10 ether);
        address executor = router.executorOf(user);
        hook.arm(executor, abi.encodeWithSignature("uniswapV3SwapCallback(int256,int256,bytes)", int256(1), int256(0), ""));
        bool zeroForOne = address(trap.token0()) == address(weth);
        bytes memory swap = Steps.callPaid(
            address(trap),
            address(weth),
            abi.encodeCall(V3LikePool.swap, (receiver, zeroForOne, 0, 0, "")),
            swapPatch(Steps.balance(address(weth)))
        );
        execute(makeOrder(address(weth), 1 ether, address(hook), 0, Steps.pack(swap)));
        assertTrue(hook.called() && !hook.succeeded(), "the token was paid as if it were the pool");
    }

    function test_receiverMayNotBeTheRouterOrTheExecutor() public {
        address[3] memory refused = [address(0), address(router), router.executorOf(user)];
        vm.startPrank(user);
        for (uint256 i = 0; i < refused.length; ++i) {
            Order memory order = makeOrder(address(weth), 1 ether, address(weth), 0, hex"00");
            order.receiver = refused[i];
            vm.expectRevert(abi.encodeWithSelector(InvalidReceiver.selector, refused[i]));
            router.execute(order);
            (order.receiver, order.refundReceiver) = (receiver, refused[i]);
            vm.expectRevert(abi.encodeWithSelector(InvalidReceiver.selector, refused[i]));
            router.execute(order);
        }
    }

    function putData() internal pure returns (bytes memory) {
        return abi.encodeCall(Recorder.put, (7));
    }

    function expectStepsRevert(bytes memory steps, bytes memory reason) internal {
        vm.prank(user);
        vm.expectRevert(reason);
        router.execute(makeOrder(address(weth), 1 ether, address(weth), 0, steps));
    }
}
