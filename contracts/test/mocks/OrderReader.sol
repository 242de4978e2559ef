// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {MalformedSwap} from "../../src/Errors.sol";
import {Head, Hop, SwapOrders} from "../../src/SwapOrders.sol";

/// @dev Reads packed swaps as Router.swap() does, without carrying anything out.
contract OrderReader {
    struct Reading {
        bool ok;
        Head head;
        Hop[] hops;
    }

    /// @param orders Call data of `swap()`, selector included.
    function readAll(bytes[] calldata orders) external view returns (Reading[] memory readings) {
        readings = new Reading[](orders.length);
        for (uint256 i = 0; i < orders.length; ++i) {
            (bool ok, bytes memory result) = address(this).staticcall(orders[i]);
            if (!ok) continue;
            readings[i].ok = true;
            (readings[i].head, readings[i].hops) = abi.decode(result, (Head, Hop[]));
        }
    }

    /// @dev The order stands in the call data, as SwapOrders wants it.
    fallback(bytes calldata) external returns (bytes memory) {
        (Head memory head, uint256 position) = SwapOrders.readHead(4);
        Hop[] memory hops = new Hop[](msg.data.length / 7);
        uint256 count = 0;
        while (position != msg.data.length) {
            uint256 share = 0;
            uint256 before = SwapOrders.NONE;
            while (true) {
                (Hop memory hop, uint256 next) = SwapOrders.readHop(position, before);
                if (before == SwapOrders.NONE) share = hop.share;
                (hops[count++], position, before) = (hop, next, hop.family);
                if (hop.isLast) break;
            }
            if ((share == 0) != (position == msg.data.length)) revert MalformedSwap(position);
        }
        assembly {
            mstore(hops, count)
        }
        return abi.encode(head, hops);
    }
}
