// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {AccountRunner} from "./AccountRunner.sol";
import {NotOwner, NotRunner} from "./Errors.sol";
import {Order, Routed} from "./Types.sol";

/**
 * @title A minimal smart wallet: a clone per owner.
 * The owner stands in the clone's code, so there is nothing to initialise and nothing to take over.
 */
contract Wallet is AccountRunner {
    address public immutable factory = msg.sender;

    /// @notice Runs an order on what the wallet holds.
    /// @return amountsOut What the receiver gained of each output, see `Output.minimum`.
    function execute(Order calldata order) external payable nonReentrant returns (uint256[] memory amountsOut) {
        if (msg.sender != owner()) revert NotOwner(msg.sender);
        amountsOut = _execute(order);
        emit Routed(order.accountId, order.referralCode, msg.sender, order.receiver);
    }

    /// @notice Runs an order of the owner whose inputs the factory has just brought.
    /// @param held What the wallet had of each input before.
    function executePulled(
        Order calldata order,
        uint256[] calldata held
    ) external payable nonReentrant returns (uint256[] memory amountsOut) {
        if (msg.sender != factory) revert NotRunner(msg.sender);
        amountsOut = _executePulled(order, held);
        emit Routed(order.accountId, order.referralCode, owner(), order.receiver);
    }

    function owner() public view returns (address) {
        return address(bytes20(Clones.fetchCloneArgs(address(this))));
    }
}
