// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {
    CallbackNotSupported,
    InsufficientInput,
    NotOwner,
    ReserveSpent,
    StepFailed,
    UnlistedToken
} from "../src/Errors.sol";
import {Delegate} from "../src/Delegate.sol";
import {NATIVE, Order} from "../src/Types.sol";
import {Wallet} from "../src/Wallet.sol";
import {CallbackPayer} from "../src/helpers/CallbackPayer.sol";
import {Base, Steps} from "./Base.sol";
import {TaxedToken} from "./mocks/Tokens.sol";
import {DelegatecallingAccount, Recorder} from "./mocks/Venues.sol";

/// @dev Orders inside accounts that hold other things: what they hold beyond the inputs stays.
contract AccountsTest is Base {
    DelegatecallingAccount private safe;
    uint256 private constant KEY = 0x7702;
    address private account;

    function setUp() public override {
        super.setUp();
        safe = new DelegatecallingAccount();
        weth.transfer(address(safe), 10 ether);
        vm.deal(address(safe), 10 ether);
        account = vm.addr(KEY);
        fund(account);
    }

    /// @dev As src/executor/callback-payer.ts: everything that may be spent goes to the payer, which calls the pool.
    function paidSwap(address to) private view returns (bytes memory) {
        bytes memory bring = Steps.transfer(address(weth), address(payer), Steps.balance(address(weth)));
        bytes memory through = Steps.call(
            address(payer),
            abi.encodeCall(CallbackPayer.callAndPay, (address(pool), address(weth), swapData(to, 0))),
            Steps.patch(4 + 4 * 32 + 4 + 64, Steps.output(0))
        );
        return Steps.pack(bring, through);
    }

    function expectSafeReverts(Order memory order, bytes memory reason) private {
        bytes memory data = abi.encodeCall(Delegate.execute, (order));
        vm.expectRevert(reason);
        safe.delegate(address(delegate), data);
    }

    function asSafe(Order memory order) private returns (uint256[] memory) {
        bytes memory result = safe.delegate(address(delegate), abi.encodeCall(Delegate.execute, (order)));
        return abi.decode(result, (uint256[]));
    }

    function test_delegatecallSpendsTheInputAndNothingElse() public {
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 1, paidSwap(address(safe)));
        assertEq(asSafe(order)[0], swapOutput(1 ether), "what the receiver gained");
        assertEq(weth.balanceOf(address(safe)), 9 ether, "the rest of the WETH");
        assertEq(usdc.balanceOf(address(safe)), 0, "all of the output was paid");
        assertEq(weth.balanceOf(address(payer)), 0, "left in the payer");
    }

    function test_delegatecallPaysFeesOutOfTheAccount() public {
        Order memory order = makeOrder(NATIVE, 3 ether, NATIVE, 2 ether, hex"00");
        order.inputs[0].fee = 1 ether;
        assertEq(asSafe(order)[0], 2 ether, "what the receiver gained");
        assertEq(feeReceiver.balance, 1 ether, "the fee");
        assertEq(address(safe).balance, 7 ether, "the rest of the ETH");
    }

    function test_outputForTheAccountItselfStaysThere() public {
        usdc.mint(address(safe), 5 ether);
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 1, paidSwap(address(safe)));
        order.receiver = address(safe);
        assertEq(asSafe(order)[0], swapOutput(1 ether), "what the account gained");
        assertEq(usdc.balanceOf(address(safe)), 5 ether + swapOutput(1 ether), "the account's USDC");
        assertEq(usdc.balanceOf(refund), 0, "nothing was refunded");
    }

    function test_leftoverOfTheInputIsRefundedOnlyUpToTheReserve() public {
        bytes memory half = Steps.transfer(address(weth), address(recorder), Steps.balance(address(weth), 5_000));
        asSafe(makeOrder(address(weth), 2 ether, address(usdc), 0, Steps.pack(half)));
        assertEq(weth.balanceOf(refund), 1 ether, "the refund");
        assertEq(weth.balanceOf(address(safe)), 8 ether, "the rest of the WETH");
    }

    function test_legacyDelegateKeepsTheLeftover() public {
        Order memory order = makeOrder(address(weth), 2 ether, address(usdc), 0, hex"00");
        safe.delegate(address(delegate), abi.encodeCall(Delegate.executeLegacy, (toLegacy(order))));
        assertEq(weth.balanceOf(address(safe)), 10 ether, "the WETH");
    }

    function test_stepsMayNotSpendTheReserve() public {
        bytes memory more = Steps.transfer(address(weth), stranger, Steps.literal(2 ether));
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 0, Steps.pack(more));
        expectSafeReverts(order, abi.encodeWithSelector(ReserveSpent.selector, address(weth), 9 ether, 8 ether));
    }

    function test_inputThatTheAccountLacksReverts() public {
        Order memory order = makeOrder(address(weth), 11 ether, address(usdc), 0, hex"00");
        expectSafeReverts(order, abi.encodeWithSelector(InsufficientInput.selector, address(weth), 11 ether, 10 ether));
    }

    function test_referenceToAnUnlistedTokenReverts() public {
        bytes memory all = Steps.transfer(address(weth), stranger, Steps.balance(address(weth)));
        Order memory order = makeOrder(NATIVE, 1 ether, address(usdc), 0, Steps.pack(all));
        expectSafeReverts(order, abi.encodeWithSelector(UnlistedToken.selector, address(weth)));
    }

    function test_accountsAnswerNoCallback() public {
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 0, Steps.pack(poolSwap(address(safe))));
        expectSafeReverts(order, abi.encodeWithSelector(CallbackNotSupported.selector, 0));
    }

    function test_7702AccountRunsItsOwnOrder() public {
        vm.signAndAttachDelegation(address(delegate), KEY);
        Order memory order = makeOrder(address(weth), 1 ether, address(usdc), 1, paidSwap(account));
        vm.prank(account);
        uint256[] memory amounts = Delegate(payable(account)).execute(order);
        assertEq(amounts[0], swapOutput(1 ether), "what the receiver gained");
        assertEq(weth.balanceOf(account), 99 ether, "the rest of the WETH");
        assertEq(account.balance, 100 ether, "the ETH");
        (bool ok, ) = account.call{value: 1 ether}("");
        assertTrue(ok, "the account refuses ETH");
    }

    function test_strangerCannotCallA7702AccountWhoseCodeIsACloneOfDelegate() public {
        vm.signAndAttachDelegation(Clones.clone(address(delegate)), KEY);
        bytes memory steal = Steps.transfer(address(weth), stranger, Steps.literal(1 ether));
        Order memory order = makeOrder(address(weth), 1 ether, address(weth), 0, Steps.pack(steal));
        vm.startPrank(stranger);
        vm.expectRevert(abi.encodeWithSelector(NotOwner.selector, stranger));
        Delegate(payable(account)).execute(order);
        vm.expectRevert(abi.encodeWithSelector(NotOwner.selector, stranger));
        Delegate(payable(account)).executeLegacy(toLegacy(order));
        vm.stopPrank();
        // Its own key runs orders as ever.
        vm.prank(account);
        Delegate(payable(account)).execute(order);
        assertEq(weth.balanceOf(stranger), 1 ether, "what the account paid");
    }

    function test_signatureOfTheAccountsOwnKeyIsValidForItAlone() public {
        uint256 otherKey = 0x7703;
        address other = vm.addr(otherKey);
        vm.signAndAttachDelegation(address(delegate), KEY);
        vm.signAndAttachDelegation(address(delegate), otherKey);
        bytes32 hash = keccak256("message of a domain");
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(KEY, hash);
        bytes memory signature = abi.encodePacked(r, s, v);
        bytes memory short = abi.encodePacked(r, bytes32(uint256(s) | (uint256(v - 27) << 255)));
        bytes4 valid = IERC1271.isValidSignature.selector;
        assertTrue(IERC1271(account).isValidSignature(hash, signature) == valid, "65 bytes");
        assertTrue(IERC1271(account).isValidSignature(hash, short) == valid, "64 bytes");

        // Another message, another account, a Safe, the contract itself, the mirrored signature, and no signature.
        bytes32 order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;
        bytes memory mirrored = abi.encodePacked(r, bytes32(uint256(order) - uint256(s)), v == 27 ? 28 : 27);
        assertTrue(!isValid(account, ~hash, signature), "another message");
        assertTrue(!isValid(other, hash, signature), "another account");
        assertTrue(!isValid(address(delegate), hash, signature), "the contract itself");
        bytes memory check = abi.encodeCall(IERC1271.isValidSignature, (hash, signature));
        assertTrue(bytes4(safe.delegate(address(delegate), check)) == 0xffffffff, "an account without a key");
        assertTrue(!isValid(account, hash, mirrored), "the mirrored signature");
        assertTrue(!isValid(account, hash, ""), "no signature");
        assertTrue(!isValid(account, hash, new bytes(64)) && !isValid(account, hash, new bytes(65)), "zeros");
    }

    function isValid(address signer, bytes32 hash, bytes memory signature) private view returns (bool) {
        bytes4 answer = IERC1271(signer).isValidSignature(hash, signature);
        assertTrue(answer == IERC1271.isValidSignature.selector || answer == 0xffffffff, "not an answer");
        return answer == IERC1271.isValidSignature.selector;
    }

    function test_walletRunsTheOwnersOrderAndKeepsWhatItHolds() public {
        address wallet = factory.walletOf(user);
        weth.transfer(wallet, 5 ether);
        Order memory order = makeOrder(address(weth), 2 ether, address(usdc), 1, paidSwap(wallet));
        order.inputs[0].fee = 1 ether;
        vm.startPrank(user);
        uint256[] memory amounts = factory.deployAndRun(order);
        assertEq(amounts[0], swapOutput(1 ether), "what the receiver gained");
        assertEq(weth.balanceOf(wallet), 5 ether, "the wallet's WETH");
        assertEq(weth.balanceOf(feeReceiver), 1 ether, "the fee");

        // The owner may also spend what the wallet holds.
        order = makeOrder(address(weth), 5 ether, address(weth), 5 ether, hex"00");
        amounts = Wallet(payable(wallet)).execute(order);
        assertEq(amounts[0], 5 ether, "what the wallet paid");
        assertEq(weth.balanceOf(wallet), 0, "the wallet's WETH");
    }

    function test_walletTakesNativeInputs() public {
        address wallet = factory.walletOf(user);
        vm.deal(wallet, 1 ether);
        Order memory order = makeOrder(NATIVE, 3 ether, NATIVE, 2 ether, hex"00");
        order.inputs[0].fee = 1 ether;
        vm.prank(user);
        assertEq(factory.deployAndRun{value: 3 ether}(order)[0], 2 ether, "what the receiver gained");
        assertEq(wallet.balance, 1 ether, "the wallet's ETH");
        assertEq(feeReceiver.balance, 1 ether, "the fee");
    }

    function test_walletSpendsOnlyWhatArrivesOfAFeeOnTransferToken() public {
        TaxedToken taxed = new TaxedToken();
        address wallet = factory.walletOf(user);
        taxed.mint(wallet, 50 ether);
        taxed.mint(user, 100 ether);
        vm.startPrank(user);
        taxed.approve(address(factory), 100 ether);
        bytes memory all = Steps.transfer(address(taxed), address(recorder), Steps.balance(address(taxed)));
        factory.deployAndRun(makeOrder(address(taxed), 100 ether, address(usdc), 0, Steps.pack(all)));
        assertEq(taxed.balanceOf(wallet), 50 ether, "what the wallet held before");
    }

    function test_walletOfOneOwnerIsNotThatOfAnother() public view {
        assertTrue(factory.walletOf(user) != factory.walletOf(stranger), "same wallet");
    }

    /// @dev Whatever the amounts, an account is left with what it had beyond the input.
    function testFuzz_accountKeepsItsReserve(uint96 held, uint96 amount, uint16 bps) public {
        vm.assume(held >= amount && bps <= 10_000);
        DelegatecallingAccount other = new DelegatecallingAccount();
        usdc.mint(address(other), held);
        bytes memory part = Steps.transfer(address(usdc), address(recorder), Steps.balance(address(usdc), bps));
        Order memory order = makeOrder(address(usdc), amount, NATIVE, 0, Steps.pack(part));
        other.delegate(address(delegate), abi.encodeCall(Delegate.execute, (order)));
        assertEq(usdc.balanceOf(address(other)), held - amount, "the reserve");
        assertEq(usdc.balanceOf(address(recorder)), (uint256(amount) * bps) / 10_000, "what the step sent");
        assertEq(
            usdc.balanceOf(refund),
            uint256(amount) - (uint256(amount) * bps) / 10_000,
            "what was refunded"
        );
    }
}
