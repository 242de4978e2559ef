// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Results of swaps that were run and taken back: they leave by a revert.
abstract contract QuotedSwaps {
    /// What a swap took and gave, and the gas of it.
    struct Result {
        uint256 spent;
        uint256 amountOut;
        uint256 gasUsed;
    }

    error Swapped(Result[] results);

    /// @return results Empty where the reason is another one.
    function _decode(bytes memory reason, uint256 count) internal pure returns (Result[] memory results) {
        if (bytes4(reason) != Swapped.selector) return results;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            // The arguments begin four bytes later, and so does their length.
            let length := sub(mload(reason), 4)
            reason := add(reason, 4)
            mstore(reason, length)
        }
        results = abi.decode(reason, (Result[]));
        if (results.length != count) delete results;
    }
}
