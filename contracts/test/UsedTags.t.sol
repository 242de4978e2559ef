// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {InsufficientOutput, NotRunner, StepFailed, TagUsed} from "../src/Errors.sol";
import {Delegate} from "../src/Delegate.sol";
import {Executor} from "../src/Executor.sol";
import {Router} from "./IRouter.sol";
import {NATIVE, Order} from "../src/Types.sol";
import {Wallet} from "../src/Wallet.sol";
import {UsedTags} from "../src/helpers/UsedTags.sol";
import {Base, Steps} from "./Base.sol";
import {Puppet, Action} from "./mocks/Puppet.sol";
import {HookedToken} from "./mocks/Tokens.sol";
import {DelegatecallingAccount} from "./mocks/Venues.sol";

/// @dev Of the orders of one sender with one tag only one can be carried out, by whatever strategy it is sent.
contract UsedTagsTest is Base {
    bytes16 private constant TAG = 0x0123456789abcdef0123456789abcdef;
    uint256 private constant KEY = 0x7702;
    UsedTags private tags = UsedTags(deployShipped("UsedTags"));

    function useStep(bytes16 tag) private view returns (bytes memory) {
        return Steps.call(address(tags), abi.encodeCall(UsedTags.use, (tag)));
    }

    /// @dev 1 WETH for USDC, once.
    function tagged(bytes16 tag) private view returns (Order memory) {
        bytes memory steps = Steps.pack(useStep(tag), poolSwap(receiver));
        return paidBySteps(makeOrder(address(weth), 1 ether, address(usdc), swapOutput(1 ether), steps));
    }

    /// @dev Of an account, which answers no callback: a transfer of WETH, once.
    function taggedTransfer(bytes16 tag) private view returns (Order memory) {
        bytes memory pay = Steps.transfer(address(weth), receiver, Steps.balance(address(weth)));
        bytes memory steps = Steps.pack(useStep(tag), pay);
        return paidBySteps(makeOrder(address(weth), 1 ether, address(weth), 1 ether, steps));
    }

    function refusal(address runner, bytes16 tag) private view returns (bytes memory) {
        bytes memory reason = abi.encodeWithSelector(TagUsed.selector, runner, tag);
        return abi.encodeWithSelector(StepFailed.selector, 0, address(tags), reason);
    }

    function test_secondOrderWithTheTagRevertsAndMovesNothing() public {
        execute(tagged(TAG));
        assertTrue(tags.isUsed(router.executorOf(user), TAG), "the tag was not used");
        bytes memory reason = refusal(router.executorOf(user), TAG);
        Order memory order = tagged(TAG);
        vm.prank(user);
        vm.expectRevert(reason);
        router.execute(order);
        assertEq(weth.balanceOf(user), 99 ether, "the WETH");
        assertEq(usdc.balanceOf(receiver), swapOutput(1 ether), "the output");
        assertNothingLeft(user);
    }

    function test_anotherOrderWithTheTagRevertsToo() public {
        execute(tagged(TAG));
        Order memory other = tagged(TAG);
        other.receiver = refund;
        other.outputs[0].minimum = 0;
        bytes memory reason = refusal(router.executorOf(user), TAG);
        vm.startPrank(user);
        vm.expectRevert(reason);
        router.execute(other);
        vm.expectRevert(reason);
        router.executeLegacy(toLegacy(other));
        vm.stopPrank();
    }

    function test_sameTagOfAnotherSenderIsAnother() public {
        fund(stranger);
        execute(tagged(TAG));
        executeAs(stranger, 0, tagged(TAG));
        assertEq(usdc.balanceOf(receiver), 2 * swapOutput(1 ether), "both outputs");
    }

    function testFuzz_strangerCannotUseUpATag(address anybody, bytes16 tag) public {
        vm.assume(anybody != user && anybody != router.executorOf(user));
        // By a call, by an order of one's own, and by running somebody's Executor.
        vm.prank(anybody);
        tags.use(tag);
        bytes memory burn = Steps.pack(useStep(tag));
        vm.assume(anybody.code.length == 0);
        Order memory order = makeOrder(NATIVE, 0, NATIVE, 0, burn);
        executeAs(anybody, 0, order);
        address executor = router.executorOf(user);
        execute(tagged(~tag));
        vm.prank(anybody);
        vm.expectRevert(abi.encodeWithSelector(NotRunner.selector, anybody));
        Executor(payable(executor)).run(order);
        assertTrue(!tags.isUsed(executor, tag), "a stranger used the tag");
        execute(tagged(tag));
    }

    function test_failedOrderDoesNotUseTheTag() public {
        Order memory order = tagged(TAG);
        uint256 output = swapOutput(1 ether);
        order.outputs[0].minimum = output + 1;
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(InsufficientOutput.selector, address(usdc), output + 1, output));
        router.execute(order);
        assertTrue(!tags.isUsed(router.executorOf(user), TAG), "the tag was used");
        execute(tagged(TAG));
    }

    /// @dev A receiver that is the sender itself sends the same order again as soon as it is paid.
    function test_orderSentAgainFromWithinItself() public {
        Puppet sender = new Puppet();
        vm.deal(address(sender), 10 ether);
        bytes memory pay = Steps.transfer(NATIVE, address(sender), Steps.balance(NATIVE));
        Order memory order = makeOrder(NATIVE, 1 ether, NATIVE, 0, Steps.pack(useStep(TAG), pay));
        order.receiver = address(sender);
        bytes memory again = abi.encodeCall(Router.execute, (order));
        Action[] memory actions = new Action[](1);
        bytes4 locked = ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector;
        actions[0] = Action(address(router), 1 ether, again, locked);
        sender.setScript(0, actions, "");
        actions = new Action[](2);
        actions[0] = Action(address(router), 1 ether, again, 0);
        actions[1] = Action(address(router), 1 ether, again, StepFailed.selector);
        sender.setScript("run!", actions, "");
        (bool ok, ) = address(sender).call("run!");
        assertTrue(ok, "the first order failed, or the second did not");
        assertEq(address(sender).balance, 10 ether, "the ETH");
    }

    /// @dev A token of the order calls back with the same tag, in its own name.
    function test_tokenThatUsesTheTagFromWithin() public {
        HookedToken hook = new HookedToken();
        hook.mint(user, 1 ether);
        vm.prank(user);
        hook.approve(address(router), type(uint256).max);
        bytes memory pay = Steps.transfer(address(hook), receiver, Steps.balance(address(hook)));
        Order memory order = makeOrder(address(hook), 1 ether, address(hook), 1 ether, Steps.pack(useStep(TAG), pay));
        hook.arm(address(tags), abi.encodeCall(UsedTags.use, (TAG)));
        execute(paidBySteps(order));
        assertTrue(hook.called() && hook.succeeded(), "the token used its own tag");
        assertEq(hook.balanceOf(receiver), 1 ether, "the output");
    }

    function testFuzz_tagsAreIndependent(bytes16 a, bytes16 b) public {
        vm.assume(a != b);
        tags.use(a);
        assertTrue(tags.isUsed(address(this), a) && !tags.isUsed(address(this), b), "the other tag");
        tags.use(b);
        vm.expectRevert(abi.encodeWithSelector(TagUsed.selector, address(this), a));
        tags.use(a);
        vm.expectRevert(abi.encodeWithSelector(TagUsed.selector, address(this), b));
        tags.use(b);
    }

    function test_zeroAndItsNeighboursAreTagsLikeOthers() public {
        for (uint128 tag = 0; tag < 300; ++tag) {
            assertTrue(!tags.isUsed(address(this), bytes16(tag)), "used before");
            tags.use(bytes16(tag));
            assertTrue(tags.isUsed(address(this), bytes16(tag)), "not used");
        }
        tags.use(bytes16(type(uint128).max));
        vm.expectRevert(abi.encodeWithSelector(TagUsed.selector, address(this), bytes16(0)));
        tags.use(bytes16(0));
    }

    function test_accountThatDelegatecalls() public {
        DelegatecallingAccount safe = new DelegatecallingAccount();
        weth.transfer(address(safe), 10 ether);
        bytes memory data = abi.encodeCall(Delegate.execute, (taggedTransfer(TAG)));
        safe.delegate(address(delegate), data);
        vm.expectRevert(refusal(address(safe), TAG));
        safe.delegate(address(delegate), data);
        vm.expectRevert(refusal(address(safe), TAG));
        safe.delegate(address(delegate), abi.encodeCall(Delegate.executeLegacy, (toLegacy(taggedTransfer(TAG)))));
        assertEq(weth.balanceOf(address(safe)), 9 ether, "the WETH");
    }

    function test_7702Account() public {
        address account = vm.addr(KEY);
        fund(account);
        vm.signAndAttachDelegation(address(delegate), KEY);
        vm.startPrank(account);
        Delegate(payable(account)).execute(taggedTransfer(TAG));
        vm.expectRevert(refusal(account, TAG));
        Delegate(payable(account)).execute(taggedTransfer(TAG));
        vm.stopPrank();
        assertEq(weth.balanceOf(account), 99 ether, "the WETH");
    }

    function test_walletByItsFactoryAndByItself() public {
        address wallet = factory.walletOf(user);
        vm.startPrank(user);
        factory.deployAndRun(taggedTransfer(TAG));
        weth.transfer(wallet, 1 ether);
        vm.expectRevert(refusal(wallet, TAG));
        factory.deployAndRun(taggedTransfer(TAG));
        vm.expectRevert(refusal(wallet, TAG));
        Wallet(payable(wallet)).execute(taggedTransfer(TAG));
        vm.stopPrank();
        assertEq(weth.balanceOf(receiver), 1 ether, "what was paid");
    }

    /// @dev A tag is cancelled by an order that does nothing else.
    function test_orderThatOnlyUsesTheTagCancelsTheOthers() public {
        execute(makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(useStep(TAG))));
        bytes memory reason = refusal(router.executorOf(user), TAG);
        Order memory order = tagged(TAG);
        vm.prank(user);
        vm.expectRevert(reason);
        router.execute(order);
    }

    /// @dev Storage counts: 22,100 for the first tag of a word, 5,000 for the others; a cold contract costs 2,600.
    function test_gasOfATag() public {
        uint256 first = gasOfUse(0);
        uint256 second = gasOfUse(bytes16(uint128(1)));
        assertTrue(first > 22_100 && first < 28_000, "the first tag of a word");
        // Within a test the contract and the word are warm already, and the word is written before.
        assertTrue(second < 1_500, "the second tag of a word");
    }

    function gasOfUse(bytes16 tag) private returns (uint256) {
        uint256 before = gasleft();
        tags.use(tag);
        return before - gasleft();
    }
}
