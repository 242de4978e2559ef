// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ComposeLanding} from "../src/ComposeLanding.sol";
import {DestinationReceiver} from "../src/DestinationReceiver.sol";
import {InsufficientGas} from "../src/Errors.sol";
import {NATIVE, Order} from "../src/Types.sol";
import {Base, Steps} from "./Base.sol";
import {MockEndpoint, MockStargatePool} from "./mocks/Bridges.sol";

/// @dev Two pools of Stargate, of WETH and of ether, each with its landing, and the victim's messages.
abstract contract StargateBase is Base {
    bytes32 internal constant COMPOSED = bytes32(uint256(1));

    DestinationReceiver internal destination = DestinationReceiver(deployShipped("DestinationReceiver"));
    MockEndpoint internal endpoint = new MockEndpoint();
    MockStargatePool internal stargate = new MockStargatePool(endpoint, address(weth));
    MockStargatePool internal nativeStargate = new MockStargatePool(endpoint, address(0));
    ComposeLanding internal landing = land(address(endpoint), address(stargate));
    ComposeLanding internal nativeLanding = land(address(endpoint), address(nativeStargate));
    address internal fallbackReceiver = address(0xfa11);

    function setUp() public virtual override {
        super.setUp();
        weth.transfer(address(stargate), 1_000 ether);
        vm.deal(address(nativeStargate), 1_000 ether);
    }

    function land(address endpoint_, address pool_) internal returns (ComposeLanding) {
        bytes memory args = abi.encode(endpoint_, pool_, destination);
        return ComposeLanding(payable(vm.deployCode("contracts/out/ComposeLanding.sol/ComposeLanding.json", args)));
    }

    /// @dev All of what arrives into the pool, for at least `minimum` USDC.
    function swapOrder(uint256 minimum) internal view returns (Order memory) {
        return paidBySteps(makeOrder(address(weth), 0, address(usdc), minimum, Steps.pack(poolSwap(receiver))));
    }

    function swapMessage(uint256 minimum) internal view returns (bytes memory) {
        return deliveryMessage(swapOrder(minimum), fallbackReceiver, 0, 0);
    }

    /// @dev All of the ether that arrives to the receiver.
    function nativeMessage(uint256 minimum) internal view returns (bytes memory) {
        return deliveryMessage(makeOrder(NATIVE, 0, NATIVE, minimum, hex"00"), fallbackReceiver, 0, 0);
    }

    /// @dev By anybody, with as much gas and value as they like.
    function compose(bytes32 guid, bytes memory message) internal {
        composeWith(guid, message, gasleft(), 0);
    }

    function composeWith(bytes32 guid, bytes memory message, uint256 gas_, uint256 value) internal {
        endpoint.lzCompose{gas: gas_, value: value}(address(stargate), address(landing), guid, 0, message, "");
    }

    function composeNative(bytes32 guid, bytes memory message, uint256 value) internal {
        endpoint.lzCompose{value: value}(address(nativeStargate), address(nativeLanding), guid, 0, message, "");
    }

    function queued(bytes32 guid) internal view returns (bytes32) {
        return endpoint.composeQueue(address(stargate), address(landing), guid, 0);
    }

    function assertWaits(bytes32 guid, bytes memory message) internal view {
        assertTrue(queued(guid) == keccak256(message), "the message does not wait");
    }

    function assertComposed(bytes32 guid) internal view {
        assertTrue(queued(guid) == COMPOSED, "the message was not composed");
    }

    function assertNothingOnTheWay() internal view {
        assertEq(weth.balanceOf(address(landing)), 0, "WETH in the landing");
        assertEq(weth.balanceOf(address(destination)), 0, "WETH in the DestinationReceiver");
        assertEq(address(nativeLanding).balance, 0, "ether in the landing");
        assertEq(address(destination).balance, 0, "ether in the DestinationReceiver");
        assertEq(weth.allowance(address(landing), address(destination)), 0, "allowance of the landing");
    }

    function assertStarved(bytes memory reason) internal pure {
        // Too little even to say so, or said.
        assertTrue(reason.length == 0 || bytes4(reason) == InsufficientGas.selector, "failed for another reason");
    }
}
