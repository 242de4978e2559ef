// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {BalancerV3Swapper} from "../src/helpers/BalancerV3Swapper.sol";
import {Base} from "./Base.sol";
import {BalancerVault} from "./mocks/BalancerVault.sol";

/// @dev A Vault that holds WETH and USDC, and the contract that swaps in it.
abstract contract BalancerVaultBase is Base {
    BalancerV3Swapper internal swapper = BalancerV3Swapper(deployShipped("BalancerV3Swapper"));
    BalancerVault internal vault = new BalancerVault();
    address internal plain = address(0x9001);

    function setUp() public virtual override {
        super.setUp();
        weth.transfer(address(vault), 100 ether);
        usdc.mint(address(vault), 300 ether);
        vault.stock(weth);
        vault.stock(usdc);
    }
}
