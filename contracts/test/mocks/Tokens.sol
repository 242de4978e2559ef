// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";

contract MockToken is ERC20 {
    constructor() ERC20("Mock", "MOCK") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

contract MockWeth is ERC20 {
    constructor() ERC20("Wrapped Ether", "WETH") {}

    receive() external payable {
        deposit();
    }

    function deposit() public payable {
        _mint(msg.sender, msg.value);
    }

    function withdraw(uint256 amount) external {
        _burn(msg.sender, amount);
        (bool ok, ) = msg.sender.call{value: amount}("");
        require(ok);
    }
}

/// @dev Takes 1% of every transfer.
contract TaxedToken is ERC20 {
    constructor() ERC20("Taxed", "TAX") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function _update(address from, address to, uint256 amount) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, amount);
        super._update(from, to, amount - amount / 100);
        super._update(from, address(0), amount / 100);
    }
}

/// @dev As Tether: returns nothing, and refuses to change an allowance from non-zero to non-zero.
contract TetherLike {
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external {
        require(amount == 0 || allowance[msg.sender][spender] == 0, "zero first");
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// @dev Calls `target` with `data` in the middle of every transfer from `trigger`, once.
contract HookedToken is ERC20 {
    address public target;
    bytes public data;
    bool public called;
    bool public succeeded;
    bytes public result;

    constructor() ERC20("Hooked", "HOOK") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function arm(address to, bytes calldata with) external {
        (target, data, called) = (to, with, false);
    }

    function _update(address from, address to, uint256 amount) internal override {
        super._update(from, to, amount);
        if (target == address(0) || called) return;
        called = true;
        (succeeded, result) = target.call(data);
    }
}

/// @dev As USDC: refuses transfers to and from accounts on its list.
contract BlockingToken is ERC20 {
    mapping(address => bool) public blocked;

    constructor() ERC20("Blocking", "BLOCK") {}

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }

    function blockAccount(address account, bool isBlocked) external {
        blocked[account] = isBlocked;
    }

    function _update(address from, address to, uint256 amount) internal override {
        require(!blocked[from] && !blocked[to], "blocked");
        super._update(from, to, amount);
    }
}
