// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {
    MakerUnderpaid,
    NotWholeOrder,
    NothingFilled,
    OrderCancelled,
    OrderExpired,
    OrderFilled,
    StepFailed,
    WrongSignature
} from "../src/Errors.sol";
import {MakerOrder, OrderSettlement} from "../src/orders/OrderSettlement.sol";
import {Base, Steps} from "./Base.sol";
import {ContractMaker} from "./mocks/Makers.sol";
import {HookedToken, MockToken, TaxedToken} from "./mocks/Tokens.sol";

interface ChainVm {
    function chainId(uint256 id) external;
}

/// @dev A maker sells 300 USDC for 100 WETH, and a taker tries to get more than was signed.
contract OrderSettlementTest is Base {
    uint256 private constant KEY = 0xface;
    OrderSettlement private settlement = OrderSettlement(deployShipped("OrderSettlement"));
    address private maker = vm.addr(KEY);
    address private taker = stranger;

    function setUp() public override {
        super.setUp();
        fund(taker);
        usdc.mint(maker, 300 ether);
        vm.prank(maker);
        usdc.approve(address(settlement), type(uint256).max);
        vm.prank(taker);
        weth.approve(address(settlement), type(uint256).max);
    }

    function signedFor(bool partialFill) private view returns (MakerOrder memory) {
        return
            MakerOrder({
                maker: maker,
                tokenIn: address(weth),
                tokenOut: address(usdc),
                amountIn: 100 ether,
                amountOut: 300 ether,
                expiry: block.timestamp + 60,
                nonce: 7,
                partialFill: partialFill
            });
    }

    function sign(MakerOrder memory order) private view returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, settlement.hashOf(order));
        return abi.encodePacked(r, s, v);
    }

    function fillable(MakerOrder memory order, bytes memory signature) private view returns (uint256 amountIn) {
        (amountIn, , ) = settlement.fillable(order, signature);
    }

    function fillAs(address who, MakerOrder memory order, bytes memory signature, uint256 amountIn) private {
        vm.prank(who);
        settlement.fill(order, signature, amountIn, receiver);
    }

    function refused(MakerOrder memory order, bytes memory signature, uint256 amountIn, bytes memory why) private {
        uint256 makerBefore = usdc.balanceOf(maker);
        uint256 takerBefore = weth.balanceOf(taker);
        vm.prank(taker);
        vm.expectRevert(why);
        settlement.fill(order, signature, amountIn, receiver);
        assertEq(usdc.balanceOf(maker), makerBefore, "what the maker has");
        assertEq(weth.balanceOf(taker), takerBefore, "what the taker has");
    }

    function test_partsAddUpToTheOrderAndNoMore() public {
        MakerOrder memory order = signedFor(true);
        bytes memory signature = sign(order);
        assertEq(fillable(order, signature), 100 ether, "fillable");
        fillAs(taker, order, signature, 40 ether);
        assertEq(usdc.balanceOf(receiver), 120 ether, "the first part");
        assertEq(fillable(order, signature), 60 ether, "fillable after it");
        // More than is left: the rest stays with the taker.
        fillAs(taker, order, signature, 100 ether);
        assertEq(usdc.balanceOf(receiver), 300 ether, "both parts");
        assertEq(weth.balanceOf(maker), 100 ether, "what the maker got");
        assertEq(weth.balanceOf(taker), 0, "what the taker has left");
        assertEq(fillable(order, signature), 0, "fillable at the end");
        bytes32 hash = settlement.hashOf(order);
        refused(order, signature, 1 ether, abi.encodeWithSelector(OrderFilled.selector, hash));
    }

    function test_wholeOrderIsFilledAtOnceOrNotAtAll() public {
        MakerOrder memory order = signedFor(false);
        bytes memory signature = sign(order);
        bytes memory why = abi.encodeWithSelector(NotWholeOrder.selector, 100 ether, 99 ether);
        refused(order, signature, 99 ether, why);
        fillAs(taker, order, signature, 100 ether);
        assertEq(usdc.balanceOf(receiver), 300 ether, "all of it");
    }

    function test_signatureOfAnotherOrderIsRefused() public {
        MakerOrder memory order = signedFor(true);
        bytes memory signature = sign(order);
        bytes memory why = abi.encodeWithSelector(WrongSignature.selector, maker);
        order.amountOut = 301 ether;
        refused(order, signature, 1 ether, why);
        assertEq(fillable(order, signature), 0, "fillable");
        order = signedFor(true);
        order.nonce = 8;
        refused(order, signature, 1 ether, why);
        order = signedFor(true);
        order.expiry += 1;
        refused(order, signature, 1 ether, why);
        refused(signedFor(true), "", 1 ether, why);
    }

    function test_anotherOnesSignatureIsRefused() public {
        MakerOrder memory order = signedFor(true);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY + 1, settlement.hashOf(order));
        refused(order, abi.encodePacked(r, s, v), 1 ether, abi.encodeWithSelector(WrongSignature.selector, maker));
    }

    /// @dev The second form of an ECDSA signature would else be a second order.
    function test_otherFormOfTheSignatureIsRefused() public {
        MakerOrder memory order = signedFor(true);
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, settlement.hashOf(order));
        uint256 n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        bytes memory other = abi.encodePacked(r, bytes32(n - uint256(s)), v == 27 ? uint8(28) : uint8(27));
        refused(order, other, 1 ether, abi.encodeWithSelector(WrongSignature.selector, maker));
    }

    function test_signatureIsWorthNothingOnAnotherChainOrContract() public {
        MakerOrder memory order = signedFor(true);
        bytes memory signature = sign(order);
        OrderSettlement second = new OrderSettlement();
        vm.prank(taker);
        vm.expectRevert(abi.encodeWithSelector(WrongSignature.selector, maker));
        second.fill(order, signature, 1 ether, receiver);
        ChainVm(address(vm)).chainId(4242);
        refused(order, signature, 1 ether, abi.encodeWithSelector(WrongSignature.selector, maker));
    }

    function test_expiredOrderIsRefused() public {
        MakerOrder memory order = signedFor(true);
        bytes memory signature = sign(order);
        vm.warp(order.expiry);
        assertEq(fillable(order, signature), 100 ether, "fillable in its last second");
        vm.warp(order.expiry + 1);
        assertEq(fillable(order, signature), 0, "fillable");
        bytes memory why = abi.encodeWithSelector(OrderExpired.selector, order.expiry, order.expiry + 1);
        refused(order, signature, 1 ether, why);
    }

    function test_cancelledNonceEndsAllOrdersOfTheMakerWithItAndOfNobodyElse() public {
        MakerOrder memory order = signedFor(true);
        bytes memory signature = sign(order);
        vm.prank(taker);
        settlement.cancel(7);
        assertEq(fillable(order, signature), 100 ether, "after a stranger's");
        vm.prank(maker);
        settlement.cancel(7);
        assertEq(fillable(order, signature), 0, "after the maker's");
        refused(order, signature, 1 ether, abi.encodeWithSelector(OrderCancelled.selector, maker, 7));
    }

    function test_fillableIsWhatTheMakerHasAndAllows() public {
        MakerOrder memory order = signedFor(true);
        bytes memory signature = sign(order);
        vm.prank(maker);
        usdc.approve(address(settlement), 150 ether);
        assertEq(fillable(order, signature), 50 ether, "by the allowance");
        vm.prank(maker);
        usdc.transfer(address(this), 270 ether);
        assertEq(fillable(order, signature), 10 ether, "by the balance");
        order = signedFor(false);
        assertEq(fillable(order, sign(order)), 0, "of a whole order");
    }

    function test_amountThatPaysNothingIsRefused() public {
        MakerOrder memory order = signedFor(true);
        (order.amountIn, order.amountOut) = (300 ether, 100 ether);
        refused(order, sign(order), 2, abi.encodeWithSelector(NothingFilled.selector));
        refused(order, sign(order), 0, abi.encodeWithSelector(NothingFilled.selector));
    }

    function test_makerWithCodeSignsByItsCode() public {
        ContractMaker account = new ContractMaker();
        account.allow(usdc, address(settlement));
        usdc.mint(address(account), 300 ether);
        MakerOrder memory order = signedFor(true);
        order.maker = address(account);
        refused(order, "any", 1 ether, abi.encodeWithSelector(WrongSignature.selector, address(account)));
        account.accept(settlement.hashOf(order));
        (uint256 amountIn, uint256 held, bool byCode) = settlement.fillable(order, "any");
        assertEq(amountIn, 100 ether, "fillable");
        assertEq(held, 300 ether, "what it has and allows");
        assertTrue(byCode, "its code says so");
        fillAs(taker, order, "any", 1 ether);
        assertEq(usdc.balanceOf(receiver), 3 ether, "the output");
    }

    function test_tokenWithATaxPaysNoMaker() public {
        TaxedToken taxed = new TaxedToken();
        taxed.mint(taker, 100 ether);
        vm.prank(taker);
        taxed.approve(address(settlement), type(uint256).max);
        MakerOrder memory order = signedFor(true);
        order.tokenIn = address(taxed);
        bytes memory why = abi.encodeWithSelector(MakerUnderpaid.selector, 10 ether, 9.9 ether);
        refused(order, sign(order), 10 ether, why);
    }

    /// @dev One payment in the middle of another would be counted for both.
    function test_tokenThatCallsBackCannotFillAgain() public {
        HookedToken hooked = new HookedToken();
        hooked.mint(taker, 200 ether);
        vm.prank(taker);
        hooked.approve(address(settlement), type(uint256).max);
        MakerOrder memory order = signedFor(true);
        order.tokenIn = address(hooked);
        bytes memory signature = sign(order);
        hooked.arm(
            address(settlement),
            abi.encodeCall(OrderSettlement.fill, (order, signature, 50 ether, receiver))
        );
        fillAs(taker, order, signature, 50 ether);
        assertTrue(hooked.called() && !hooked.succeeded(), "it was called back, and refused");
        bytes4 reason = bytes4(hooked.result());
        assertTrue(reason == ReentrancyGuardTransient.ReentrancyGuardReentrantCall.selector, "by the lock");
        assertEq(usdc.balanceOf(receiver), 150 ether, "the output");
        assertEq(hooked.balanceOf(maker), 50 ether, "what the maker got");
    }

    function test_orderOfTheRouterIsKeptOrUndone() public {
        MakerOrder memory order = signedFor(true);
        bytes memory signature = sign(order);
        bytes memory data = abi.encodeCall(OrderSettlement.fill, (order, signature, 10 ether, receiver));
        bytes memory steps = Steps.pack(
            Steps.approve(address(weth), address(settlement), Steps.balance(address(weth))),
            Steps.call(address(settlement), data)
        );
        execute(paidBySteps(makeOrder(address(weth), 10 ether, address(usdc), 30 ether, steps)));
        assertEq(usdc.balanceOf(receiver), 30 ether, "the output");
        vm.prank(maker);
        settlement.cancel(7);
        bytes memory reason = abi.encodeWithSelector(OrderCancelled.selector, maker, 7);
        vm.prank(user);
        vm.expectRevert(abi.encodeWithSelector(StepFailed.selector, 1, address(settlement), reason));
        router.execute(paidBySteps(makeOrder(address(weth), 10 ether, address(usdc), 30 ether, steps)));
        assertNothingLeft(user);
    }

    /// @dev Whatever the parts, the maker never gives more than at its rate, nor more than its order.
    function testFuzz_makerGetsItsRate(uint96 amountIn, uint96 amountOut, uint96 first, uint96 second) public {
        vm.assume(amountIn != 0 && amountOut != 0);
        MakerOrder memory order = signedFor(true);
        (order.amountIn, order.amountOut) = (amountIn, amountOut);
        MockToken paying = new MockToken();
        paying.mint(taker, type(uint128).max);
        vm.prank(taker);
        paying.approve(address(settlement), type(uint256).max);
        usdc.mint(maker, amountOut);
        order.tokenIn = address(paying);
        bytes memory signature = sign(order);
        uint256 had = usdc.balanceOf(maker);
        for (uint256 i = 0; i < 2; ++i) {
            vm.prank(taker);
            try settlement.fill(order, signature, i == 0 ? first : second, receiver) {} catch {}
        }
        uint256 given = had - usdc.balanceOf(maker);
        uint256 got = paying.balanceOf(maker);
        assertTrue(given <= amountOut && got <= amountIn, "no more than the order");
        assertTrue(given * amountIn <= got * amountOut, "no better than the rate");
        assertEq(usdc.balanceOf(receiver), given, "the output");
    }
}
