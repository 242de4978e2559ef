// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {InsufficientOutput, StepFailed} from "../src/Errors.sol";
import {Order} from "../src/Types.sol";
import {BalancerV3Swapper, IBalancerV3Vault} from "../src/helpers/BalancerV3Swapper.sol";
import {Steps} from "./Base.sol";
import {BalancerVaultBase} from "./BalancerVaultBase.sol";
import {BalancerVault, HookedPool, Session} from "./mocks/BalancerVault.sol";
import {TaxedToken} from "./mocks/Tokens.sol";

contract BalancerV3SwapperTest is BalancerVaultBase {
    HookedPool private evil = new HookedPool();

    function data(address of_, IERC20 tokenIn, IERC20 tokenOut, address to) private view returns (bytes memory) {
        return
            abi.encodeCall(
                BalancerV3Swapper.swap,
                (IBalancerV3Vault(address(vault)), of_, tokenIn, tokenOut, to)
            );
    }

    function steps(address of_) private view returns (bytes memory) {
        return
            Steps.pack(
                Steps.transfer(address(weth), address(vault), Steps.balance(address(weth))),
                Steps.callWord(address(swapper), 0, data(of_, weth, usdc, receiver))
            );
    }

    function order(address of_, uint256 amount, uint256 minimum) private view returns (Order memory) {
        return paidBySteps(makeOrder(address(weth), amount, address(usdc), minimum, steps(of_)));
    }

    /// @dev What the Vault says that it holds is what it holds: nothing lies there for the next one to take.
    function assertSettled() private view {
        assertEq(weth.balanceOf(address(vault)), vault.reservesOf(weth), "WETH of nobody in the Vault");
        assertEq(usdc.balanceOf(address(vault)), vault.reservesOf(usdc), "USDC of nobody in the Vault");
        assertEq(weth.balanceOf(address(swapper)) + usdc.balanceOf(address(swapper)), 0, "left in the helper");
    }

    function testFuzz_sellsAllThatArrives(uint256 amount) public {
        amount = 1 + (amount % 100 ether);
        uint256[] memory amounts = execute(order(plain, amount, swapOutput(amount)));
        assertEq(amounts[0], swapOutput(amount), "what the receiver gained");
        assertEq(usdc.balanceOf(receiver), swapOutput(amount), "delivered");
        assertNothingLeft(user);
        assertSettled();
    }

    function test_theOtherDirectionWithoutAnExecutor() public {
        usdc.mint(address(vault), 3 ether);
        uint256 out = swapper.swap(IBalancerV3Vault(address(vault)), plain, usdc, weth, receiver);
        assertEq(out, swapOutput(3 ether), "returned");
        assertEq(weth.balanceOf(receiver), swapOutput(3 ether), "delivered");
        assertSettled();
    }

    function test_theOutputOfOneSwapPaysTheNextWithoutLeavingTheVault() public {
        weth.transfer(address(vault), 1 ether);
        IBalancerV3Vault of_ = IBalancerV3Vault(address(vault));
        swapper.swap(of_, plain, weth, usdc, address(vault));
        uint256 out = swapper.swap(of_, plain, usdc, weth, receiver);
        assertEq(out, swapOutput(swapOutput(1 ether)), "both fees");
        assertSettled();
    }

    function test_aTaxedTokenIsSoldByWhatArrives() public {
        TaxedToken taxed = new TaxedToken();
        taxed.mint(address(this), 10 ether);
        taxed.transfer(address(vault), 10 ether);
        IBalancerV3Vault of_ = IBalancerV3Vault(address(vault));
        assertEq(swapper.swap(of_, plain, IERC20(address(taxed)), usdc, receiver), swapOutput(9.9 ether), "taxed");
    }

    function test_liquidityOfPoolsIsNobodysInput() public {
        vm.expectRevert("AmountGivenZero");
        swapper.swap(IBalancerV3Vault(address(vault)), plain, weth, usdc, stranger);
    }

    function test_aMinimumThatThePoolDoesNotMeetUndoesAll() public {
        vm.prank(user);
        vm.expectRevert(
            abi.encodeWithSelector(InsufficientOutput.selector, address(usdc), 1 ether, swapOutput(1 ether))
        );
        router.execute(order(plain, 1 ether, 1 ether));
        assertSettled();
    }

    function test_aPoolThatSellsAgainThroughTheHelperFindsNothing() public {
        for (uint256 place = 0; place < 2; place++) {
            HookedPool again = new HookedPool();
            again.arm(address(swapper), data(plain, weth, usdc, stranger), place);
            uint256[] memory amounts = execute(order(address(again), 1 ether, swapOutput(1 ether)));
            assertTrue(again.called() && !again.succeeded(), "it sold something");
            assertEq(amounts[0], swapOutput(1 ether), "the order is served");
            assertEq(usdc.balanceOf(stranger), 0, "the thief has something");
        }
        assertSettled();
    }

    function test_aPoolThatTakesTheInputFromTheVaultUndoesAll() public {
        // The input has been credited and not been spent yet: the Vault lets whoever asks have it, and wants it settled.
        evil.arm(address(vault), abi.encodeCall(BalancerVault.sendTo, (weth, stranger, 1 ether)), 0);
        bytes memory reason = abi.encodeWithSelector(BalancerVault.BalanceNotSettled.selector);
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 1, address(swapper), reason));
        router.execute(order(address(evil), 1 ether, 0));
        assertEq(weth.balanceOf(stranger), 0, "the thief has something");
    }

    function test_aPoolThatTakesTheOutputFromTheVaultUndoesAll() public {
        evil.arm(address(vault), abi.encodeCall(BalancerVault.sendTo, (usdc, stranger, swapOutput(1 ether))), 1);
        bytes memory reason = abi.encodeWithSelector(BalancerVault.BalanceNotSettled.selector);
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 1, address(swapper), reason));
        router.execute(order(address(evil), 1 ether, 0));
        assertEq(usdc.balanceOf(stranger), 0, "the thief has something");
    }

    function test_theCallbackGivesNobodyWhatIsNotHis() public {
        // From outside of the Vault it talks to the caller, who is no vault.
        vm.expectRevert();
        vm.prank(stranger);
        swapper.swapUnlocked(plain, weth, usdc, stranger);
        // By the Vault itself, in a session of an attacker: it is called as anybody, and what it does must be settled.
        Session session = new Session();
        vm.expectRevert();
        session.open(vault, address(swapper), abi.encodeCall(swapper.swapUnlocked, (plain, weth, usdc, stranger)));
        assertEq(usdc.balanceOf(stranger) + weth.balanceOf(stranger), 0, "the thief has something");
    }

    function test_anOrderInsideOfASessionOfAnotherIsServedAndSettled() public {
        // The Vault does not settle what is nested: the helper's own accounts come out even by themselves.
        Session session = new Session();
        weth.transfer(address(vault), 1 ether);
        session.open(vault, address(swapper), data(plain, weth, usdc, receiver));
        assertEq(usdc.balanceOf(receiver), swapOutput(1 ether), "delivered");
        assertSettled();
    }

    function test_aVaultOfAnAttackerGetsNothingOutOfTheHelper() public {
        // It answers every call and says that it has sent much: the order's own minimum is what counts.
        FalseVault lying = new FalseVault();
        bytes memory call_ = abi.encodeCall(
            BalancerV3Swapper.swap,
            (IBalancerV3Vault(address(lying)), plain, weth, usdc, receiver)
        );
        bytes memory with = Steps.pack(
            Steps.transfer(address(weth), address(lying), Steps.balance(address(weth))),
            Steps.callWord(address(swapper), 0, call_)
        );
        Order memory given = paidBySteps(makeOrder(address(weth), 1 ether, address(usdc), 1, with));
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(InsufficientOutput.selector, address(usdc), 1, 0));
        router.execute(given);
    }
}

/// @dev Every call succeeds, and claims 1000 ether.
contract FalseVault {
    function unlock(bytes calldata) external pure returns (bytes memory) {
        return abi.encode(uint256(1000 ether));
    }
}
