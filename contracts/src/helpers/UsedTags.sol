// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {TagUsed} from "../Errors.sol";

/**
 * @title Lets each caller use a tag once, so that of several transactions with one tag only one can be carried out.
 *
 * Who runs the steps of an order is the caller: the sender's Executor, the owner's wallet, or the account itself.
 * Nobody else can call in that name, so nobody can use up another one's tags. What reverts has used nothing.
 */
contract UsedTags {
    /// @dev A bit for each last byte of the tags that share the first 15 bytes: those that follow the first of a word
    /// cost less to use.
    mapping(address user => mapping(bytes15 start => uint256 bits)) private _used;

    /// @notice Reverts with TagUsed where the caller has used the tag before.
    function use(bytes16 tag) external {
        (bytes15 start, uint256 bit) = _place(tag);
        uint256 bits = _used[msg.sender][start];
        if (bits & bit != 0) revert TagUsed(msg.sender, tag);
        _used[msg.sender][start] = bits | bit;
    }

    /// @return Whether the user has used the tag.
    function isUsed(address user, bytes16 tag) external view returns (bool) {
        (bytes15 start, uint256 bit) = _place(tag);
        return _used[user][start] & bit != 0;
    }

    function _place(bytes16 tag) private pure returns (bytes15 start, uint256 bit) {
        return (bytes15(tag), 1 << uint8(uint128(tag)));
    }
}
