// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Input, NATIVE, Order, Output} from "../src/Types.sol";
import {MockWeth} from "./mocks/Tokens.sol";
import {Base, Steps} from "./Base.sol";

/// @dev Sends random orders of three senders, some of which fail half-way.
contract OrderActor is Base {
    address[3] public senders = [address(0x111), address(0x222), address(0x333)];
    uint256 public succeeded;

    constructor() {
        setUp();
        for (uint256 i = 0; i < senders.length; ++i) fund(senders[i]);
    }

    function swap(uint8 who, uint96 amount, uint16 bps, bool direct, uint96 minimum) external {
        address sender = senders[who % 3];
        bytes memory step = Steps.callPaid(
            address(pool),
            address(weth),
            swapData(direct ? receiver : router.executorOf(sender), 0),
            swapPatch(Steps.balance(address(weth), bps % 10_001))
        );
        Order memory order = makeOrder(address(weth), amount % 1 ether, address(usdc), minimum, Steps.pack(step));
        order.inputs[0].fee = order.inputs[0].amount / 100;
        order.paidBySteps = direct;
        send(sender, 0, order);
    }

    function wrap(uint8 who, uint96 amount, uint16 bps) external {
        bytes memory step = Steps.callValue(
            address(weth),
            Steps.balance(NATIVE, bps % 10_001),
            abi.encodeCall(MockWeth.deposit, ())
        );
        uint256 value = amount % 1 ether;
        send(senders[who % 3], value, makeOrder(NATIVE, value, address(weth), 0, Steps.pack(step)));
    }

    function approveAnybody(uint8 who, address spender) external {
        bytes memory step = Steps.approve(address(weth), spender, Steps.literal(type(uint256).max));
        send(senders[who % 3], 0, makeOrder(NATIVE, 0, NATIVE, 0, Steps.pack(step)));
    }

    function send(address sender, uint256 value, Order memory order) private {
        vm.prank(sender);
        try router.execute{value: value}(order) {
            ++succeeded;
        } catch {}
    }

    function check() external view {
        for (uint256 i = 0; i < senders.length; ++i) {
            assertNothingLeft(senders[i]);
            assertEq(weth.allowance(address(router), senders[i]), 0, "the Router approved somebody");
        }
        // Nothing is made or lost: every WETH is backed, every USDC stands somewhere.
        assertEq(address(weth).balance, weth.totalSupply(), "WETH is not backed");
    }
}

contract InvariantsTest {
    OrderActor private actor;

    function setUp() public {
        actor = new OrderActor();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(actor);
    }

    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        targets[0].addr = address(actor);
        targets[0].selectors = new bytes4[](3);
        targets[0].selectors[0] = OrderActor.swap.selector;
        targets[0].selectors[1] = OrderActor.wrap.selector;
        targets[0].selectors[2] = OrderActor.approveAnybody.selector;
    }

    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    function invariant_nothingStaysInRouterOrExecutors() external view {
        actor.check();
    }

    /// @dev The actor's orders are not all refused.
    function afterInvariant() external view {
        require(actor.succeeded() > 0, "no order succeeded");
    }
}
