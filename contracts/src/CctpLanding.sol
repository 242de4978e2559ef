// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {DestinationReceiver} from "./DestinationReceiver.sol";
import {NotMessenger} from "./Errors.sol";
import {Tokens} from "./Tokens.sol";

interface IMessageTransmitterV2 {
    function receiveMessage(bytes calldata message, bytes calldata attestation) external returns (bool);
}

interface ITokenMessengerV2 {
    function localMinter() external view returns (ITokenMinterV2);
}

interface ITokenMinterV2 {
    /// @return Zero for a token that the source has none of here.
    function getLocalToken(uint32 sourceDomain, bytes32 burnToken) external view returns (address);
}

/**
 * @title Where Circle's CCTP mints the tokens of an order, and the only caller that may have them minted.
 *
 * A burn names this contract as mint recipient and as destination caller. So mint and order are one transaction, by
 * whomever: nobody can have the tokens minted without the order, and nothing lies here in between. When the call
 * fails, the message is not used up, and anybody may try again. There is one landing per transmitter and messenger, so
 * whoever invents either has a landing of his own, to which nobody burns.
 *
 * message := header:148 version:4 burnToken:32 mintRecipient:32 amount:32 sender:32 maxFee:32 fee:32 expiry:32 hook
 */
contract CctpLanding {
    address public immutable transmitter;
    address public immutable messenger;
    DestinationReceiver public immutable destination;

    /// Of the message's header and of the burn that it carries.
    uint256 private constant SOURCE_OFFSET = 4;
    uint256 private constant DESTINATION_OFFSET = 8;
    uint256 private constant RECIPIENT_OFFSET = 76;
    uint256 private constant CALLER_OFFSET = 108;
    uint256 private constant TOKEN_OFFSET = 152;
    uint256 private constant MINT_RECIPIENT_OFFSET = 184;
    uint256 private constant HOOK_OFFSET = 376;

    constructor(address transmitter_, address messenger_, DestinationReceiver destination_) {
        (transmitter, messenger, destination) = (transmitter_, messenger_, destination_);
    }

    /// @notice Mints what the message has burnt, and runs the order in its hook with what is minted.
    /// @param message As it was attested.
    /// @param attestation Of the transmitter's attesters.
    function receiveMessage(bytes calldata message, bytes calldata attestation) external {
        // Anybody may send messages to contracts of his own, and might mint for others while they are received.
        bytes32 recipient = bytes32(message[RECIPIENT_OFFSET:CALLER_OFFSET]);
        if (recipient != bytes32(uint256(uint160(messenger)))) revert NotMessenger(recipient);
        address token = ITokenMessengerV2(messenger).localMinter().getLocalToken(
            uint32(bytes4(message[SOURCE_OFFSET:DESTINATION_OFFSET])),
            bytes32(message[TOKEN_OFFSET:MINT_RECIPIENT_OFFSET])
        );
        uint256 before = Tokens.balanceOf(token, address(this));
        IMessageTransmitterV2(transmitter).receiveMessage(message, attestation);
        // Without the fee, and without what others have sent here.
        uint256 amount = Tokens.balanceOf(token, address(this)) - before;
        Tokens.approve(token, address(destination), amount);
        destination.deliver(token, amount, message[HOOK_OFFSET:]);
    }
}
