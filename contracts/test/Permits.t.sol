// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DeadlinePassed, FeeAboveInput, InvalidReceiver} from "../src/Errors.sol";
import {NATIVE, Order} from "../src/Types.sol";
import {Base, Steps} from "./Base.sol";
import {BurningPermitToken, HookedPermitToken, LyingPermitToken, PermitToken} from "./mocks/PermitTokens.sol";

/// @dev Orders whose input comes by an EIP-2612 signature. Nobody here has approved the Router beforehand.
contract PermitsTest is Base {
    bytes32 private constant TYPEHASH =
        keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)");
    uint256 private constant KEY = 0xa11ce5;
    uint256 private constant OTHER_KEY = 0xb0b5;
    uint256 private constant AMOUNT = 10 ether;

    PermitToken private token = new PermitToken();
    address private owner = vm.addr(KEY);

    struct Signature {
        uint8 v;
        bytes32 r;
        bytes32 s;
    }

    function setUp() public override {
        super.setUp();
        token.mint(owner, 100 ether);
    }

    /// @dev All of the input to the receiver.
    function orderOf(PermitToken of_) private view returns (Order memory) {
        return makeOrder(address(of_), AMOUNT, address(of_), 1, hex"00");
    }

    function sign(uint256 key, Order memory order, address spender) private view returns (Signature memory signed) {
        PermitToken of_ = PermitToken(order.inputs[0].token);
        bytes32 message = keccak256(
            abi.encode(TYPEHASH, owner, spender, order.inputs[0].amount, of_.nonces(owner), order.deadline)
        );
        bytes32 digest = keccak256(abi.encodePacked(hex"1901", of_.DOMAIN_SEPARATOR(), message));
        (signed.v, signed.r, signed.s) = vm.sign(key, digest);
    }

    function send(address sender, Order memory order, Signature memory signed) private returns (uint256[] memory) {
        vm.prank(sender);
        return router.executeWithPermit(order, signed.v, signed.r, signed.s);
    }

    function submit(Order memory order, Signature memory signed) private {
        vm.prank(stranger);
        token.permit(owner, address(router), AMOUNT, order.deadline, signed.v, signed.r, signed.s);
    }

    function assertNothingMoved() private view {
        assertEq(token.balanceOf(owner), 100 ether, "the owner's balance");
        assertEq(token.allowance(owner, address(router)), 0, "the Router's allowance");
    }

    function assertNoneLeft(PermitToken of_) private view {
        assertNothingLeft(owner);
        assertEq(of_.balanceOf(address(router)), 0, "left in the Router");
        assertEq(of_.balanceOf(router.executorOf(owner)), 0, "left in the Executor");
        assertEq(of_.allowance(owner, address(router)), 0, "an allowance of the Router is left");
        assertEq(of_.allowance(owner, router.executorOf(owner)), 0, "an allowance of the Executor is left");
    }

    function test_signatureInPlaceOfAnAllowanceRunsTheOrder() public {
        Order memory order = orderOf(token);
        uint256[] memory amounts = send(owner, order, sign(KEY, order, address(router)));
        assertEq(amounts[0], AMOUNT, "what the receiver gained");
        assertEq(token.balanceOf(receiver), AMOUNT, "the receiver's balance");
        assertEq(token.balanceOf(owner), 90 ether, "the owner's balance");
        assertEq(token.nonces(owner), 1, "the signature is used");
        assertNoneLeft(token);
    }

    function test_feeIsPaidOutOfWhatWasSigned() public {
        Order memory order = orderOf(token);
        order.inputs[0].fee = 1 ether;
        uint256[] memory amounts = send(owner, order, sign(KEY, order, address(router)));
        assertEq(amounts[0], 9 ether, "what the receiver gained");
        assertEq(token.balanceOf(feeReceiver), 1 ether, "the fee");
        assertNoneLeft(token);
    }

    function test_stepsRunAsInExecute() public {
        Order memory order = orderOf(token);
        order.steps = Steps.pack(Steps.transfer(address(token), address(recorder), Steps.balance(address(token), 4_000)));
        uint256[] memory amounts = send(owner, order, sign(KEY, order, address(router)));
        assertEq(amounts[0], 6 ether, "what the receiver gained");
        assertEq(token.balanceOf(address(recorder)), 4 ether, "what the step sent");
        assertNoneLeft(token);
    }

    function test_signatureSubmittedByAStrangerBeforeRunsTheOrderAllTheSame() public {
        Order memory order = orderOf(token);
        Signature memory signed = sign(KEY, order, address(router));
        submit(order, signed);
        assertEq(token.allowance(owner, address(router)), AMOUNT, "what the stranger brought about");
        send(owner, order, signed);
        assertEq(token.balanceOf(receiver), AMOUNT, "the receiver's balance");
        assertNoneLeft(token);
    }

    function test_strangerCanUseTheSignatureForNothing() public {
        Order memory order = orderOf(token);
        Signature memory signed = sign(KEY, order, address(router));
        vm.expectRevert();
        send(stranger, order, signed);
        submit(order, signed);
        vm.expectRevert();
        send(stranger, order, signed);
        assertEq(token.balanceOf(owner), 100 ether, "the owner's balance");
    }

    function test_signatureOfSomebodyElseTakesNothing() public {
        Order memory order = orderOf(token);
        Signature memory signed = sign(OTHER_KEY, order, address(router));
        vm.expectRevert();
        send(owner, order, signed);
        assertNothingMoved();
    }

    function test_signatureForAnotherSpenderTakesNothing() public {
        Order memory order = orderOf(token);
        Signature memory signed = sign(KEY, order, stranger);
        vm.expectRevert();
        send(owner, order, signed);
        assertNothingMoved();
    }

    function test_signatureForAnotherAmountTakesNothing() public {
        Order memory order = orderOf(token);
        Signature memory signed = sign(KEY, order, address(router));
        order.inputs[0].amount = AMOUNT + 1;
        vm.expectRevert();
        send(owner, order, signed);
        assertNothingMoved();
    }

    function test_signatureIsGoodForOneOrder() public {
        Order memory order = orderOf(token);
        Signature memory signed = sign(KEY, order, address(router));
        send(owner, order, signed);
        vm.expectRevert();
        send(owner, order, signed);
        assertEq(token.balanceOf(owner), 90 ether, "the owner's balance");
        assertNoneLeft(token);
    }

    function test_signatureEndsWithTheOrdersDeadline() public {
        Order memory order = orderOf(token);
        Signature memory signed = sign(KEY, order, address(router));
        vm.warp(order.deadline + 1);
        vm.expectRevert(abi.encodeWithSelector(DeadlinePassed.selector, order.deadline, order.deadline + 1));
        send(owner, order, signed);
        // A later deadline of the order is not what was signed.
        order.deadline += 100;
        vm.expectRevert();
        send(owner, order, signed);
        assertNothingMoved();
    }

    function test_checksOfAnOrderHoldWithASignatureToo() public {
        Order memory order = orderOf(token);
        order.receiver = address(router);
        Signature memory signed = sign(KEY, order, address(router));
        vm.expectRevert(abi.encodeWithSelector(InvalidReceiver.selector, address(router)));
        send(owner, order, signed);
        order.receiver = receiver;
        order.inputs[0].fee = AMOUNT + 1;
        vm.expectRevert(abi.encodeWithSelector(FeeAboveInput.selector, address(token), AMOUNT + 1, AMOUNT));
        send(owner, order, signed);
        assertNothingMoved();
    }

    function test_orderWithoutATokenToPermitReverts() public {
        Order memory order = orderOf(token);
        Signature memory signed = sign(KEY, order, address(router));
        order.inputs[0].token = NATIVE;
        vm.expectRevert();
        send(owner, order, signed);
        delete order.inputs;
        vm.expectRevert();
        send(owner, order, signed);
        assertNothingMoved();
    }

    function test_permitThatLiesBringsNothing() public {
        LyingPermitToken lying = new LyingPermitToken();
        lying.mint(owner, 100 ether);
        Order memory order = orderOf(lying);
        Signature memory signed = sign(KEY, order, address(router));
        vm.expectRevert();
        send(owner, order, signed);
        assertEq(lying.balanceOf(owner), 100 ether, "the owner's balance");
    }

    function test_permitThatUsesUpItsGasBringsNothing() public {
        BurningPermitToken burning = new BurningPermitToken();
        burning.mint(owner, 100 ether);
        Order memory order = orderOf(burning);
        Signature memory signed = sign(KEY, order, address(router));
        vm.prank(owner);
        try router.executeWithPermit{gas: 1_000_000}(order, signed.v, signed.r, signed.s) {
            revert("the order ran");
        } catch {}
        assertEq(burning.balanceOf(owner), 100 ether, "the owner's balance");
    }

    function test_permitCannotReenterTheRouter() public {
        HookedPermitToken hooked = new HookedPermitToken();
        hooked.mint(owner, 100 ether);
        fund(address(hooked));
        Order memory inner = makeOrder(address(weth), 1 ether, address(weth), 1, hex"00");
        Order memory order = orderOf(hooked);
        bytes[4] memory calls = [
            abi.encodeCall(router.execute, (inner)),
            abi.encodeCall(router.executeWithPermit, (inner, 27, bytes32(0), bytes32(0))),
            abi.encodeCall(router.executeLegacy, (toLegacy(inner))),
            abi.encodeCall(router.swap, ())
        ];
        for (uint256 i = 0; i < calls.length; ++i) {
            hooked.arm(address(router), calls[i]);
            send(owner, order, Signature(27, 0, 0));
            assertTrue(!hooked.succeeded(), "the token came back in");
        }
        assertEq(weth.balanceOf(address(hooked)), 100 ether, "what the token had approved");
        assertEq(hooked.balanceOf(receiver), 4 * AMOUNT, "the orders ran");
        assertNoneLeft(hooked);
    }

    function testFuzz_bytesInPlaceOfASignatureTakeNothing(uint8 v, bytes32 r, bytes32 s) public {
        Order memory order = orderOf(token);
        Signature memory right = sign(KEY, order, address(router));
        vm.assume(r != right.r);
        vm.expectRevert();
        send(owner, order, Signature(v, r, s));
        assertNothingMoved();
    }
}
