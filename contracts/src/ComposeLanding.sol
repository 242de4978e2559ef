// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DestinationReceiver} from "./DestinationReceiver.sol";
import {NotEndpoint, NotPool} from "./Errors.sol";
import {Tokens} from "./Tokens.sol";
import {NATIVE} from "./Types.sol";

interface IOmnichainToken {
    /// @return Zero for ether.
    function token() external view returns (address);
}

/**
 * @title Where a LayerZero pool (Stargate) pays the tokens of an order, until their message comes.
 *
 * The pool pays in one transaction and the endpoint composes in another, whenever somebody asks it to. In between the
 * tokens of many deliveries lie here, and each message that the pool queued at the endpoint moves its own amount: the
 * endpoint carries a message out once, and anybody else's call is refused. There is one landing per endpoint and pool,
 * so whoever invents either has a landing of his own, to which nobody sends. When a call fails, the endpoint keeps the
 * message, and anybody may try again.
 *
 * The pool must have paid what its message says: nothing here could tell one delivery's tokens from another's.
 */
contract ComposeLanding {
    address public immutable endpoint;
    address public immutable pool;
    DestinationReceiver public immutable destination;

    /// Of the pool's message: nonce 8, source endpoint 4, amount 32, sender on the source chain 32, our message.
    uint256 private constant AMOUNT_OFFSET = 12;
    uint256 private constant SENDER_OFFSET = 44;
    uint256 private constant MESSAGE_OFFSET = 76;

    constructor(address endpoint_, address pool_, DestinationReceiver destination_) {
        (endpoint, pool, destination) = (endpoint_, pool_, destination_);
    }

    /// @dev The pool has 4,600 gas for this.
    receive() external payable {}

    /// @notice The endpoint calls this for a message that `from` has queued.
    function lzCompose(address from, bytes32, bytes calldata message, address, bytes calldata) external payable {
        if (msg.sender != endpoint) revert NotEndpoint(msg.sender);
        if (from != pool) revert NotPool(from);
        uint256 amount = uint256(bytes32(message[AMOUNT_OFFSET:SENDER_OFFSET]));
        bytes calldata delivered = message[MESSAGE_OFFSET:];
        address token = IOmnichainToken(pool).token();
        if (token == address(0)) {
            destination.deliver{value: amount + msg.value}(NATIVE, amount, delivered);
        } else {
            Tokens.approve(token, address(destination), amount);
            destination.deliver{value: msg.value}(token, amount, delivered);
        }
    }
}
