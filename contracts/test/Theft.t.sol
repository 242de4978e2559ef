// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DestinationReceiver} from "../src/DestinationReceiver.sol";
import {Base} from "./Base.sol";
import {MockEndpoint, MockStargatePool} from "./mocks/Bridges.sol";

contract TheftTest is Base {
    DestinationReceiver private destination = DestinationReceiver(payable(deployShipped("DestinationReceiver")));
    MockEndpoint private endpoint = new MockEndpoint();
    MockStargatePool private stargate = new MockStargatePool(endpoint, address(usdc));

    /// @dev Between the payment and the compose anybody may say what the tokens that lie there are for.
    function test_paymentOfAPoolThatComposesLaterIsRobbed() public {
        usdc.mint(address(stargate), 4_999.5 ether);
        stargate.arrive(address(destination), "guid", 4_999.5 ether, "the victim's message");

        bytes memory theft = abi.encode(
            DestinationReceiver.Delivery(makeOrder(address(usdc), 0, address(usdc), 0, hex"ff"), stranger, 0)
        );
        vm.prank(stranger);
        destination.handleV3AcrossMessage(address(usdc), 4_999.5 ether, stranger, theft);
        assertEq(usdc.balanceOf(stranger), 4_999.5 ether, "what the thief has");
    }
}
