// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Clones} from "@openzeppelin/contracts/proxy/Clones.sol";
import {ReentrancyGuardTransient} from "@openzeppelin/contracts/utils/ReentrancyGuardTransient.sol";
import {FeeAboveInput, WrongValue} from "./Errors.sol";
import {Tokens} from "./Tokens.sol";
import {Input, NATIVE, Order} from "./Types.sol";
import {Wallet} from "./Wallet.sol";

/**
 * @title Deploys wallets and brings their owners' tokens to them.
 * Takes tokens from msg.sender only, into msg.sender's own wallet, and makes no call that the caller chose.
 */
contract WalletFactory is ReentrancyGuardTransient {
    address public immutable walletImplementation = address(new Wallet());

    /// @notice Runs an order of msg.sender in its wallet, which is deployed when absent.
    /// @return amountsOut What the receiver gained of each output, see `Output.minimum`.
    function deployAndRun(Order calldata order) external payable nonReentrant returns (uint256[] memory amountsOut) {
        address wallet = walletOf(msg.sender);
        if (wallet.code.length == 0) {
            Clones.cloneDeterministicWithImmutableArgs(walletImplementation, _owner(msg.sender), bytes32(0));
        }
        uint256[] memory held = _pull(order.inputs, order.feeReceiver, wallet);
        return Wallet(payable(wallet)).executePulled{value: msg.value}(order, held);
    }

    /// @notice The wallet of an owner, deployed or not.
    function walletOf(address owner) public view returns (address) {
        return Clones.predictDeterministicAddressWithImmutableArgs(walletImplementation, _owner(owner), bytes32(0));
    }

    function _pull(
        Input[] calldata inputs,
        address feeReceiver,
        address wallet
    ) private returns (uint256[] memory held) {
        uint256 value = 0;
        held = new uint256[](inputs.length);
        for (uint256 i = 0; i < inputs.length; ++i) {
            (address token, uint256 amount, uint256 fee) = (inputs[i].token, inputs[i].amount, inputs[i].fee);
            if (fee > amount) revert FeeAboveInput(token, fee, amount);
            held[i] = Tokens.balanceOf(token, wallet);
            if (token == NATIVE) {
                value += amount;
                continue;
            }
            if (fee != 0) Tokens.pull(token, msg.sender, feeReceiver, fee);
            Tokens.pull(token, msg.sender, wallet, amount - fee);
        }
        if (msg.value != value) revert WrongValue(value, msg.value);
    }

    function _owner(address owner) private pure returns (bytes memory) {
        return abi.encodePacked(owner);
    }
}
