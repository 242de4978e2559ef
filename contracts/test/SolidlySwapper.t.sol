// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {InsufficientOutput, StepFailed} from "../src/Errors.sol";
import {Order} from "../src/Types.sol";
import {ISolidlyPool, SolidlySwapper} from "../src/helpers/SolidlySwapper.sol";
import {Base, Steps} from "./Base.sol";
import {TaxedToken} from "./mocks/Tokens.sol";
import {SolidlyLikePool} from "./mocks/Venues.sol";

contract SolidlySwapperTest is Base {
    SolidlySwapper private swapper = SolidlySwapper(payable(deployShipped("SolidlySwapper")));
    SolidlyLikePool private honest;

    function setUp() public override {
        super.setUp();
        honest = new SolidlyLikePool(weth, usdc);
        weth.transfer(address(honest), 100 ether);
        usdc.mint(address(honest), 300 ether);
        honest.sync();
    }

    function steps(SolidlyLikePool of_) private view returns (bytes memory) {
        ISolidlyPool target = ISolidlyPool(address(of_));
        bytes memory data = abi.encodeCall(SolidlySwapper.swap, (target, weth, true, receiver));
        return
            Steps.pack(
                Steps.transfer(address(weth), address(of_), Steps.balance(address(weth))),
                Steps.call(address(swapper), data)
            );
    }

    function fund(uint256 amount) private {
        vm.deal(user, amount);
        vm.prank(user);
        weth.deposit{value: amount}();
    }

    function testFuzz_takesWhatThePoolSaysForWhatItReceived(uint256 amount) public {
        amount = 1e6 + (amount % 100 ether);
        uint256 expected = (amount * 300 ether) / (100 ether + amount);
        fund(amount);
        uint256[] memory amounts = execute(
            paidBySteps(makeOrder(address(weth), amount, address(usdc), expected, steps(honest)))
        );
        assertEq(amounts[0], expected, "the pool's own formula");
        assertNothingLeft(user);
    }

    function test_theOtherDirection() public {
        usdc.mint(address(honest), 3 ether);
        uint256 out = swapper.swap(ISolidlyPool(address(honest)), usdc, false, receiver);
        assertEq(out, uint256(3 ether * 100 ether) / 303 ether, "of token1");
        assertEq(weth.balanceOf(receiver), out, "delivered");
    }

    function test_aPoolThatPromisesMoreThanItMayIsRefusedByItself() public {
        fund(1 ether);
        honest.quote(4 ether);
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 0, steps(honest));
        bytes memory reason = abi.encodeWithSignature("Error(string)", "K");
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 1, address(swapper), reason));
        router.execute(order);
    }

    function test_aPoolThatPromisesLessCostsTheOrderNoMoreThanItsMinimum() public {
        fund(1 ether);
        honest.quote(1);
        Order memory order = paidBySteps(makeOrder(address(weth), 1 ether, address(usdc), 2 ether, steps(honest)));
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(InsufficientOutput.selector, address(usdc), 2 ether, 1));
        router.execute(order);
    }

    function test_aPoolThatReentersFindsNothingToTake() public {
        SolidlyLikePool evil = new SolidlyLikePool(weth, usdc);
        weth.transfer(address(evil), 100 ether);
        usdc.mint(address(evil), 300 ether);
        evil.sync();
        // What lies in the honest pool beyond its reserves belongs to whoever swaps first, and nothing does between steps.
        bytes memory again = abi.encodeCall(
            SolidlySwapper.swap,
            (ISolidlyPool(address(honest)), weth, true, address(evil))
        );
        evil.arm(address(swapper), again);
        fund(2 ether);
        uint256 before = usdc.balanceOf(address(honest));
        uint256 expected = uint256(1 ether * 300 ether) / 101 ether;
        Order memory order = paidBySteps(makeOrder(address(weth), 1 ether, address(usdc), expected, steps(evil)));
        uint256[] memory amounts = execute(order);
        assertEq(amounts[0], expected, "the order is served");
        assertEq(usdc.balanceOf(address(honest)), before, "the honest pool is whole");
        assertEq(weth.balanceOf(address(swapper)) + usdc.balanceOf(address(swapper)), 0, "the helper holds nothing");
    }

    function test_aTaxedTokenIsSoldByWhatArrives() public {
        TaxedToken taxed = new TaxedToken();
        SolidlyLikePool market = new SolidlyLikePool(IERC20(address(taxed)), usdc);
        taxed.mint(address(market), 100 ether);
        usdc.mint(address(market), 300 ether);
        market.sync();
        taxed.mint(address(this), 10 ether);
        taxed.transfer(address(market), 10 ether);
        uint256 arrived = taxed.balanceOf(address(market)) - 100 ether;
        assertEq(arrived, 9.9 ether, "taxed");
        uint256 out = swapper.swap(ISolidlyPool(address(market)), IERC20(address(taxed)), true, receiver);
        assertEq(out, (arrived * 300 ether) / (100 ether + arrived), "by what arrived");
    }
}
