// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Tells whoever runs the steps its own address, where it cannot be known when they are written. Stateless.
contract Caller {
    /// @return The caller as a number, which steps may refer to.
    function caller() external view returns (uint256) {
        return uint160(msg.sender);
    }
}
