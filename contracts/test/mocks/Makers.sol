// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @dev A maker with code: accepts the one hash that it was told (EIP-1271).
contract ContractMaker {
    bytes32 private accepted;

    function accept(bytes32 hash) external {
        accepted = hash;
    }

    function allow(IERC20 token, address spender) external {
        token.approve(spender, type(uint256).max);
    }

    function isValidSignature(bytes32 hash, bytes calldata) external view returns (bytes4) {
        return hash == accepted ? this.isValidSignature.selector : bytes4(0xffffffff);
    }
}
