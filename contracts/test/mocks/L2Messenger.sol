// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/**
 * @dev The relaying half of the OP stack's L2CrossDomainMessenger: a message is relayed once. One whose call fails, or that
 * comes with too little gas, is kept with its ether, and anybody may have it tried again.
 */
contract MockL2Messenger {
    error NotRelayable();
    error AlreadyRelayed();

    struct Message {
        uint256 nonce;
        address sender;
        address target;
        uint256 value;
        uint256 minGasLimit;
        bytes data;
    }

    /// Kept for what comes after the call, and for the call itself.
    uint256 private constant RESERVED_GAS = 40_000;
    uint256 private constant CHECK_GAS = 5_000;
    uint256 private constant CALL_GAS = 40_000;

    /// The messenger of the other chain, as the sender of a deposit.
    address private immutable other;
    bool private isRelaying;

    mapping(bytes32 => bool) public successfulMessages;
    mapping(bytes32 => bool) public failedMessages;

    constructor(address other_) {
        other = other_;
    }

    function relayMessage(Message calldata message) external payable {
        bytes32 hash = keccak256(abi.encode(message));
        if (msg.sender == other) assert(msg.value == message.value && !failedMessages[hash]);
        else if (msg.value != 0 || !failedMessages[hash]) revert NotRelayable();
        if (successfulMessages[hash]) revert AlreadyRelayed();
        if (!hasGasFor(message.minGasLimit) || isRelaying) {
            failedMessages[hash] = true;
            return;
        }
        isRelaying = true;
        (bool ok, ) = message.target.call{value: message.value, gas: gasleft() - RESERVED_GAS}(message.data);
        isRelaying = false;
        if (ok) successfulMessages[hash] = true;
        else failedMessages[hash] = true;
    }

    function hasGasFor(uint256 minGasLimit) private view returns (bool) {
        return gasleft() * 63 >= minGasLimit * 64 + (CALL_GAS + RESERVED_GAS + CHECK_GAS) * 63;
    }
}
