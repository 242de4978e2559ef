// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Delegate} from "../src/Delegate.sol";
import {Router} from "./IRouter.sol";
import {Input, LegacyOrder, NATIVE, Order, Output} from "../src/Types.sol";
import {WalletFactory} from "../src/WalletFactory.sol";
import {CallbackPayer} from "../src/helpers/CallbackPayer.sol";
import {MockToken, MockWeth} from "./mocks/Tokens.sol";
import {Recorder, V3LikePool} from "./mocks/Venues.sol";

interface Vm {
    function prank(address sender) external;
    function prank(address sender, address origin) external;
    function startPrank(address sender) external;
    function stopPrank() external;
    function deal(address account, uint256 amount) external;
    function etch(address account, bytes calldata code) external;
    function warp(uint256 timestamp) external;
    function assume(bool condition) external;
    function expectRevert() external;
    function expectRevert(bytes4 selector) external;
    function expectRevert(bytes calldata data) external;
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data, address emitter) external;
    function addr(uint256 key) external returns (address);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function signAndAttachDelegation(address implementation, uint256 key) external;
    function deployCode(string calldata artifact) external returns (address);
    function deployCode(string calldata artifact, bytes calldata constructorArgs) external returns (address);
}

/// @dev Packs steps as src/executor/pack-steps.ts does.
library Steps {
    function literal(uint256 value) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(32), value);
    }

    function balance(address token) internal pure returns (bytes memory) {
        return balance(token, 10_000);
    }

    function balance(address token, uint16 bps) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(0x40), token, bps);
    }

    function output(uint8 step) internal pure returns (bytes memory) {
        return output(step, 10_000);
    }

    function output(uint8 step, uint16 bps) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(0x41), step, bps);
    }

    function patch(uint24 offset, bytes memory amount) internal pure returns (bytes memory) {
        return abi.encodePacked(offset, amount);
    }

    function call(address target, bytes memory data) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(0), target, uint24(data.length), data, uint8(0));
    }

    function call(address target, bytes memory data, bytes memory patch1) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(0), target, uint24(data.length), data, uint8(1), patch1);
    }

    function callValue(address target, bytes memory value, bytes memory data) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(0x10), target, value, uint24(data.length), data, uint8(0));
    }

    function callWord(address target, uint8 word, bytes memory data) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(0x40), target, word, uint24(data.length), data, uint8(0));
    }

    function callIncrease(address target, address token, bytes memory data) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(0x80), target, token, uint24(data.length), data, uint8(0));
    }

    function callPaid(
        address target,
        address payToken,
        bytes memory data,
        bytes memory patch1
    ) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(0x20), target, payToken, uint24(data.length), data, uint8(1), patch1);
    }

    /// @dev The program is the last argument of the call; `patches` counts what `patched` holds.
    function callProgram(
        address target,
        bytes memory data,
        bytes memory program,
        uint8 patches,
        bytes memory patched
    ) internal pure returns (bytes memory) {
        return
            abi.encodePacked(
                abi.encodePacked(uint8(0x08), target, uint24(data.length), data, patches, patched),
                programStart(data, program),
                uint24(program.length)
            );
    }

    function programStart(bytes memory data, bytes memory program) internal pure returns (uint24) {
        return uint24(data.length - ((program.length + 31) / 32) * 32);
    }

    function transfer(address token, address to, bytes memory amount) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(1), token, to, amount);
    }

    function approve(address token, address spender, bytes memory amount) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(2), token, spender, amount);
    }

    function pack(bytes memory a) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(1), a);
    }

    function pack(bytes memory a, bytes memory b) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(2), a, b);
    }

    function pack(bytes memory a, bytes memory b, bytes memory c) internal pure returns (bytes memory) {
        return abi.encodePacked(uint8(3), a, b, c);
    }
}

/// @dev The setup of every test: two tokens, a pool between them, a user with funds who has approved the Router.
abstract contract Base {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    Router internal router = Router(deployShipped("Router"));
    Delegate internal delegate = Delegate(payable(deployShipped("Delegate")));
    WalletFactory internal factory = WalletFactory(payable(deployShipped("WalletFactory")));
    CallbackPayer internal payer = CallbackPayer(payable(deployShipped("CallbackPayer")));
    MockWeth internal weth = new MockWeth();
    MockToken internal usdc = new MockToken();
    V3LikePool internal pool = new V3LikePool(weth, usdc);
    Recorder internal recorder = new Recorder();

    address internal user = address(0xa11ce);
    address internal stranger = address(0xbad);
    address internal receiver = address(0xcafe);
    address internal refund = address(0xdead01);
    address internal feeReceiver = address(0xfee);

    /// @dev The bytecode that is shipped, not one of the tests' own compilation.
    function deployShipped(string memory name) internal returns (address) {
        return vm.deployCode(string.concat("contracts/out/", name, ".sol/", name, ".json"));
    }

    function setUp() public virtual {
        vm.warp(1_700_000_000);
        vm.deal(address(this), 1_000_000 ether);
        weth.deposit{value: 10_000 ether}();
        weth.transfer(address(pool), 1_000 ether);
        usdc.mint(address(pool), 1_000 ether);
        fund(user);
    }

    function fund(address account) internal {
        vm.deal(account, 100 ether);
        weth.transfer(account, 100 ether);
        usdc.mint(account, 100 ether);
        vm.startPrank(account);
        weth.approve(address(router), type(uint256).max);
        usdc.approve(address(router), type(uint256).max);
        weth.approve(address(factory), type(uint256).max);
        usdc.approve(address(factory), type(uint256).max);
        vm.stopPrank();
    }

    /// @dev Takes `amount` of tokenIn, gives at least `minimum` of tokenOut to `receiver`.
    function makeOrder(
        address tokenIn,
        uint256 amount,
        address tokenOut,
        uint256 minimum,
        bytes memory steps
    ) internal view returns (Order memory order) {
        order.inputs = new Input[](1);
        order.inputs[0] = Input({token: tokenIn, amount: amount, fee: 0});
        order.feeReceiver = feeReceiver;
        order.steps = steps;
        order.outputs = new Output[](1);
        order.outputs[0] = Output({token: tokenOut, minimum: minimum});
        order.receiver = receiver;
        order.refundReceiver = refund;
        order.deadline = block.timestamp;
        order.accountId = keccak256("account");
        order.referralCode = "ref";
    }

    /// @dev For steps that pay every output to the receiver themselves.
    function paidBySteps(Order memory order) internal pure returns (Order memory) {
        order.paidBySteps = true;
        return order;
    }

    function toLegacy(Order memory order) internal pure returns (LegacyOrder memory) {
        return
            LegacyOrder({
                inputs: order.inputs,
                feeReceiver: order.feeReceiver,
                steps: order.steps,
                outputs: order.outputs,
                receiver: order.receiver,
                sweep: order.sweep,
                paidBySteps: order.paidBySteps,
                deadline: order.deadline
            });
    }

    /// @dev As a bridge hands it to the DestinationReceiver.
    function deliveryMessage(
        Order memory order,
        address fallbackReceiver,
        uint256 minimumGas,
        uint256 minimumValue
    ) internal pure returns (bytes memory) {
        return abi.encodePacked(abi.encode(fallbackReceiver, minimumGas, minimumValue), abi.encode(order));
    }

    /// @dev All of the runner's WETH into the pool, paid out to `to`.
    function poolSwap(address to) internal view returns (bytes memory) {
        return Steps.callPaid(address(pool), address(weth), swapData(to, 0), swapPatch(Steps.balance(address(weth))));
    }

    function swapData(address to, int256 amount) internal view returns (bytes memory) {
        bool zeroForOne = address(pool.token0()) == address(weth);
        return abi.encodeCall(V3LikePool.swap, (to, zeroForOne, amount, 0, ""));
    }

    function swapPatch(bytes memory amount) internal pure returns (bytes memory) {
        return Steps.patch(4 + 64, amount);
    }

    function swapOutput(uint256 amountIn) internal pure returns (uint256) {
        return amountIn - amountIn / 1000;
    }

    function execute(Order memory order) internal returns (uint256[] memory) {
        return executeAs(user, 0, order);
    }

    function executeAs(address sender, uint256 value, Order memory order) internal returns (uint256[] memory) {
        vm.prank(sender);
        return router.execute{value: value}(order);
    }

    function assertNothingLeft(address sender) internal view {
        address executor = router.executorOf(sender);
        assertEq(weth.balanceOf(executor), 0, "WETH left in the Executor");
        assertEq(usdc.balanceOf(executor), 0, "USDC left in the Executor");
        assertEq(executor.balance, 0, "ETH left in the Executor");
        assertEq(weth.balanceOf(address(router)), 0, "WETH left in the Router");
        assertEq(usdc.balanceOf(address(router)), 0, "USDC left in the Router");
        assertEq(address(router).balance, 0, "ETH left in the Router");
    }

    error NotEqual(string what, uint256 actual, uint256 expected);

    function assertEq(uint256 actual, uint256 expected, string memory what) internal pure {
        if (actual != expected) revert NotEqual(what, actual, expected);
    }

    function assertTrue(bool condition, string memory what) internal pure {
        require(condition, what);
    }
}
