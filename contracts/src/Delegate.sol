// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {AccountRunner} from "./AccountRunner.sol";
import {NotDelegated, NotOwner} from "./Errors.sol";
import {LegacyOrder, Order, Routed} from "./Types.sol";

/**
 * @title Orders for accounts that lend this contract their identity.
 *
 * Either the account delegatecalls it (a Safe; the account itself decides who may make it do so), or the account
 * is an EIP-7702 account whose code is this contract: then only the account's own key may run orders. An EIP-7702
 * account never takes orders from others, whatever its code: it might be a clone of this contract.
 * Not to be used as the implementation of a proxy, which would let anybody run orders.
 */
contract Delegate is AccountRunner, IERC1271 {
    /// With this begins the code of an EIP-7702 account, and of nothing else (EIP-3541); an address follows.
    bytes3 private constant DELEGATION = 0xef0100;
    bytes4 private constant NO_SIGNATURE = 0xffffffff;

    address private immutable self = address(this);

    /// @notice Runs an order on what the account holds.
    /// @return amountsOut What the receiver gained of each output, see `Output.minimum`.
    function execute(Order calldata order) external payable nonReentrant returns (uint256[] memory amountsOut) {
        _checkCaller();
        amountsOut = _execute(order);
        emit Routed(order.accountId, order.referralCode, address(this), order.receiver);
    }

    /// @notice As `execute`, without event; what is left over stays in the account.
    /// @return amountsOut As of `execute`.
    function executeLegacy(
        LegacyOrder calldata order
    ) external payable nonReentrant returns (uint256[] memory amountsOut) {
        _checkCaller();
        amountsOut = _executeLegacy(order);
    }

    /**
     * @notice ERC-1271: whether the key of this EIP-7702 account signed the hash.
     * @dev The signer's address is the account's, so a signature is good for this account alone, as it was before the
     * account had code: no key signs for two accounts, and no wrapping in a domain of the account is needed.
     * @param hash As the asking contract made it, its own domain and the chain included (EIP-712).
     * @param signature 65 bytes, or 64 bytes (EIP-2098).
     * @return The selector of this function, else 0xffffffff.
     */
    function isValidSignature(bytes32 hash, bytes calldata signature) external view returns (bytes4) {
        address signer;
        if (signature.length == 64) {
            (signer, , ) = ECDSA.tryRecover(hash, bytes32(signature[:32]), bytes32(signature[32:]));
        } else {
            (signer, , ) = ECDSA.tryRecoverCalldata(hash, signature);
        }
        return signer == address(this) ? IERC1271.isValidSignature.selector : NO_SIGNATURE;
    }

    function _checkCaller() private view {
        if (address(this) == self) revert NotDelegated();
        if (msg.sender == address(this)) return;
        bytes3 prefix;
        // solhint-disable-next-line no-inline-assembly
        assembly ("memory-safe") {
            mstore(0, 0)
            extcodecopy(address(), 0, 0, 3)
            prefix := mload(0)
        }
        if (prefix == DELEGATION) revert NotOwner(msg.sender);
    }
}
