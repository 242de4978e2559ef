// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";

interface ILayerZeroComposer {
    function lzCompose(
        address from,
        bytes32 guid,
        bytes calldata message,
        address executor,
        bytes calldata extraData
    ) external payable;
}

/**
 * @dev The composing half of LayerZero's EndpointV2: anybody may queue a message in its own name, and anybody may have a
 * queued one carried out, with whatever gas and value.
 */
contract MockEndpoint {
    error ComposeExists();
    error ComposeNotFound(bytes32 expected, bytes32 actual);

    mapping(address => mapping(address => mapping(bytes32 => mapping(uint16 => bytes32)))) public composeQueue;

    function sendCompose(address to, bytes32 guid, uint16 index, bytes calldata message) external {
        if (composeQueue[msg.sender][to][guid][index] != 0) revert ComposeExists();
        composeQueue[msg.sender][to][guid][index] = keccak256(message);
    }

    function lzCompose(
        address from,
        address to,
        bytes32 guid,
        uint16 index,
        bytes calldata message,
        bytes calldata extraData
    ) external payable {
        bytes32 expected = composeQueue[from][to][guid][index];
        if (expected != keccak256(message)) revert ComposeNotFound(expected, keccak256(message));
        composeQueue[from][to][guid][index] = bytes32(uint256(1));
        ILayerZeroComposer(to).lzCompose{value: msg.value}(from, guid, message, msg.sender, extraData);
    }
}

/// @dev A Stargate pool: pays in one transaction, queues the message there, and leaves the rest to another transaction.
contract MockStargatePool {
    using SafeERC20 for IERC20;

    error PayoutFailed();

    /// As Stargate's native payouts: with the stipend the receiver has 4,600.
    uint256 private constant NATIVE_GAS = 2300;

    MockEndpoint private immutable endpoint;
    /// Zero for a pool of ether.
    address public immutable token;

    constructor(MockEndpoint endpoint_, address token_) payable {
        (endpoint, token) = (endpoint_, token_);
    }

    receive() external payable {}

    /// @return message As the endpoint has it queued, to be composed by anybody.
    function arrive(
        address to,
        bytes32 guid,
        uint256 amount,
        bytes memory composed
    ) external returns (bytes memory message) {
        return arriveShort(to, guid, amount, amount, composed);
    }

    /// @dev Pays `paid`, and says that it paid `amount`.
    function arriveShort(
        address to,
        bytes32 guid,
        uint256 amount,
        uint256 paid,
        bytes memory composed
    ) public returns (bytes memory message) {
        if (token == address(0)) {
            (bool ok, ) = to.call{value: paid, gas: NATIVE_GAS}("");
            if (!ok) revert PayoutFailed();
        } else {
            IERC20(token).safeTransfer(to, paid);
        }
        message = oftMessage(amount, composed);
        endpoint.sendCompose(to, guid, 0, message);
    }

    /// @dev nonce, source endpoint, amount, sender of the source chain, message.
    function oftMessage(uint256 amount, bytes memory composed) public pure returns (bytes memory) {
        return abi.encodePacked(uint64(7), uint32(30110), amount, bytes32(uint256(0x5e4de4)), composed);
    }
}

interface IAcrossHandler {
    function handleV3AcrossMessage(address token, uint256 amount, address relayer, bytes calldata message) external;
}

/// @dev The filling half of Across's SpokePool: each deposit is paid once, from the relayer, and called in the same call.
contract MockSpokePool {
    using SafeERC20 for IERC20;

    error RelayFilled();

    struct Relay {
        address recipient;
        address outputToken;
        uint256 outputAmount;
        uint256 depositId;
        bytes message;
    }

    mapping(bytes32 => bool) public filled;

    function fillRelay(Relay calldata relay) external {
        bytes32 hash = keccak256(abi.encode(relay));
        if (filled[hash]) revert RelayFilled();
        filled[hash] = true;
        IERC20(relay.outputToken).safeTransferFrom(msg.sender, relay.recipient, relay.outputAmount);
        if (relay.message.length == 0 || relay.recipient.code.length == 0) return;
        IAcrossHandler(relay.recipient).handleV3AcrossMessage(
            relay.outputToken,
            relay.outputAmount,
            msg.sender,
            relay.message
        );
    }
}
