// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

contract PermitToken is ERC20Permit {
    constructor() ERC20("Permit", "PRM") ERC20Permit("Permit") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// @dev Says yes to any permit and allows nothing.
contract LyingPermitToken is PermitToken {
    function permit(address, address, uint256, uint256, uint8, bytes32, bytes32) public pure override {}
}

/// @dev Calls `target` with `data` in the middle of a permit, and allows the spender what nobody signed.
contract HookedPermitToken is PermitToken {
    address public target;
    bytes public data;
    bool public succeeded;

    function arm(address to, bytes calldata with) external {
        (target, data) = (to, with);
    }

    function permit(
        address owner,
        address spender,
        uint256 value,
        uint256,
        uint8,
        bytes32,
        bytes32
    ) public override {
        (succeeded, ) = target.call(data);
        _approve(owner, spender, value);
    }
}

/// @dev Uses up all gas that a permit gets.
contract BurningPermitToken is PermitToken {
    function permit(address, address, uint256, uint256, uint8, bytes32, bytes32) public pure override {
        while (true) {}
    }
}
