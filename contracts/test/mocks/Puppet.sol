// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @dev A call that must succeed, or must be refused with exactly this reason (its selector), or may do either.
struct Action {
    address target;
    uint256 value;
    bytes data;
    bytes4 refusedWith;
}

/**
 * Any hostile contract: pool, manager, token, wrapped native, receiver. Whatever function is called, it does what its
 * script for that selector says and returns what the script says. An attack that succeeds where the script expects a
 * refusal makes the whole transaction fail.
 */
contract Puppet {
    bytes4 public constant EITHER = 0xffffffff;

    struct Script {
        Action[] actions;
        bytes result;
        uint256 runs;
    }

    mapping(bytes4 selector => Script) private scripts;

    error AttackSucceeded(uint256 action);
    error RefusedForAnotherReason(uint256 action, bytes reason);

    function setScript(bytes4 selector, Action[] memory actions, bytes memory result) external {
        delete scripts[selector];
        for (uint256 i = 0; i < actions.length; ++i) scripts[selector].actions.push(actions[i]);
        scripts[selector].result = result;
    }

    /// @dev How often that function was called, counted from its last script; reads do not count.
    function runsOf(bytes4 selector) external view returns (uint256) {
        return scripts[selector].runs;
    }

    receive() external payable {
        play(0);
    }

    fallback(bytes calldata) external payable returns (bytes memory) {
        return play(msg.sig);
    }

    function play(bytes4 selector) private returns (bytes memory) {
        Script storage script = scripts[selector];
        // A staticcall may not count.
        try this.count{gas: 50_000}(selector) {} catch {}
        for (uint256 i = 0; i < script.actions.length; ++i) {
            Action memory action = script.actions[i];
            (bool ok, bytes memory result) = action.target.call{value: action.value}(action.data);
            if (action.refusedWith == EITHER) continue;
            if (action.refusedWith == 0) {
                if (ok) continue;
                assembly {
                    revert(add(result, 0x20), mload(result))
                }
            }
            if (ok) revert AttackSucceeded(i);
            if (bytes4(result) != action.refusedWith) revert RefusedForAnotherReason(i, result);
        }
        return script.result;
    }

    function count(bytes4 selector) external {
        require(msg.sender == address(this));
        ++scripts[selector].runs;
    }
}
