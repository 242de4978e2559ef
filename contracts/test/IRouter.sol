// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {LegacyOrder, Order} from "../src/Types.sol";

/// @dev The Router as the tests call it; they deploy what is shipped and do not compile it once more.
interface Router {
    function execute(Order calldata order) external payable returns (uint256[] memory amountsOut);
    function executeWithPermit(
        Order calldata order,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external payable returns (uint256[] memory amountsOut);
    function executeLegacy(LegacyOrder calldata order) external payable returns (uint256[] memory amountsOut);
    function swap() external payable returns (uint256 amountOut);
    function unlockCallback(bytes calldata data) external returns (bytes memory);
    function executorOf(address sender) external view returns (address);
    function executorImplementation() external view returns (address);
}
