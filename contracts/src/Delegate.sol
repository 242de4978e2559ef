// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AccountRunner} from "./AccountRunner.sol";
import {NotDelegated, NotOwner} from "./Errors.sol";
import {LegacyOrder, Order, Routed} from "./Types.sol";

/**
 * @title Orders for accounts that lend this contract their identity.
 *
 * Either the account delegatecalls it (a Safe; the account itself decides who may make it do so), or the account
 * is an EIP-7702 account whose code is this contract: then only the account's own key may run orders.
 * Not to be used as the implementation of a proxy, which would let anybody run orders.
 */
contract Delegate is AccountRunner {
    address private immutable self = address(this);

    /// @notice Runs an order on what the account holds.
    /// @return amountsOut What the receiver gained of each output, by the difference of its balance.
    function execute(Order calldata order) external payable nonReentrant returns (uint256[] memory amountsOut) {
        _checkCaller();
        amountsOut = _execute(order);
        emit Routed(order.accountId, order.referralCode, address(this), order.receiver);
    }

    /// @notice As `execute`, without event; what is left over stays in the account.
    function executeLegacy(
        LegacyOrder calldata order
    ) external payable nonReentrant returns (uint256[] memory amountsOut) {
        _checkCaller();
        amountsOut = _executeLegacy(order);
    }

    function _checkCaller() private view {
        if (address(this) == self) revert NotDelegated();
        if (msg.sender == address(this)) return;
        // The code of an EIP-7702 account is 0xef0100 and the address of the contract that it runs.
        bytes32 designator = keccak256(abi.encodePacked(hex"ef0100", self));
        if (address(this).codehash == designator) revert NotOwner(msg.sender);
    }
}
