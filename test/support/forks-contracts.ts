/** Small contracts for the tests of forks, simulation and funding, compiled here by npm's solc. */
import solc from 'solc'
import type { Abi } from 'viem'
import type { Hex } from '../../src/domain/primitives.js'

const source = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract PlainToken {
  uint256 public totalSupply;
  mapping(address => uint256) internal balances;
  mapping(address => mapping(address => uint256)) internal allowances;
  event Transfer(address indexed from, address indexed to, uint256 amount);

  function mint(address to, uint256 amount) external { totalSupply += amount; balances[to] += amount; }
  function balanceOf(address owner) public view virtual returns (uint256) { return balances[owner]; }
  function allowance(address owner, address spender) public view virtual returns (uint256) {
    return allowances[owner][spender];
  }
  function approve(address spender, uint256 amount) external virtual returns (bool) {
    allowances[msg.sender][spender] = amount;
    return true;
  }
  function transfer(address to, uint256 amount) external returns (bool) { return move(msg.sender, to, amount); }
  function transferFrom(address from, address to, uint256 amount) external returns (bool) {
    spend(from, amount);
    return move(from, to, amount);
  }
  function spend(address from, uint256 amount) internal virtual { allowances[from][msg.sender] -= amount; }
  function move(address from, address to, uint256 amount) internal virtual returns (bool) {
    balances[from] -= amount;
    balances[to] += amount;
    emit Transfer(from, to, amount);
    return true;
  }
}

// Claims with a sign beside what rewards are counted by, and permission for all or nothing, as Compound III has them.
contract SwitchToken {
  struct Account { int104 principal; uint64 index; uint64 accrued; uint16 assets; uint8 reserved; }
  uint256 internal constant rate = 1_049_876_543_210_987;
  mapping(address => Account) internal accounts;
  mapping(address => mapping(address => bool)) internal allowed;
  error BadAmount();
  constructor(address holder) { accounts[holder].principal = 10 ** 15; }
  function open(address owner, uint64 index) external { accounts[owner].index = index; }
  function stampOf(address owner) external view returns (uint64) { return accounts[owner].index; }
  function balanceOf(address owner) public view returns (uint256) {
    int104 principal = accounts[owner].principal;
    return principal > 0 ? uint256(uint104(principal)) * rate / 1e15 : 0;
  }
  function allowance(address owner, address spender) external view returns (uint256) {
    return allowed[owner][spender] ? type(uint256).max : 0;
  }
  function approve(address spender, uint256 amount) external returns (bool) {
    if (amount != 0 && amount != type(uint256).max) revert BadAmount();
    allowed[msg.sender][spender] = amount != 0;
    return true;
  }
  function transfer(address to, uint256 amount) external returns (bool) { return move(msg.sender, to, amount); }
  function transferFrom(address from, address to, uint256 amount) external returns (bool) {
    require(allowed[from][msg.sender]);
    return move(from, to, amount);
  }
  function move(address from, address to, uint256 amount) internal returns (bool) {
    uint256 left = balanceOf(from) - amount;
    uint256 gained = balanceOf(to) + amount;
    accounts[from].principal = int104(int256(left * 1e15 / rate));
    accounts[to].principal = int104(int256(gained * 1e15 / rate));
    return true;
  }
}

// Mappings hashed in Vyper's order: the slot first, then the key.
contract VyperOrderToken {
  function slotOf(address owner) internal pure returns (bytes32) { return keccak256(abi.encode(uint256(7), owner)); }
  function slotOf(address owner, address spender) internal pure returns (bytes32) {
    return keccak256(abi.encode(keccak256(abi.encode(uint256(8), owner)), spender));
  }
  function load(bytes32 slot) internal view returns (uint256 value) { assembly { value := sload(slot) } }
  function store(bytes32 slot, uint256 value) internal { assembly { sstore(slot, value) } }
  function balanceOf(address owner) external view returns (uint256) { return load(slotOf(owner)); }
  function allowance(address owner, address spender) external view returns (uint256) { return load(slotOf(owner, spender)); }
  function transferFrom(address from, address to, uint256 amount) external returns (bool) {
    store(slotOf(from, msg.sender), load(slotOf(from, msg.sender)) - amount);
    store(slotOf(from), load(slotOf(from)) - amount);
    store(slotOf(to), load(slotOf(to)) + amount);
    return true;
  }
}

contract Proxy {
  // The ERC-1967 slot of the implementation.
  bytes32 internal constant slot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
  constructor(address implementation) { assembly { sstore(slot, implementation) } }
  fallback() external payable {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let ok := delegatecall(gas(), sload(slot), 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(ok) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}

// The balance shares its word with a flag above and a time stamp below it.
contract PackedToken {
  struct Account { uint64 stamp; uint128 balance; bool frozen; }
  mapping(address => Account) internal accounts;
  mapping(address => mapping(address => uint256)) public allowance;
  function open(address owner, uint64 stamp) external { accounts[owner].stamp = stamp; }
  function stampOf(address owner) external view returns (uint64) { return accounts[owner].stamp; }
  function balanceOf(address owner) external view returns (uint256) { return accounts[owner].balance; }
  function transferFrom(address from, address to, uint256 amount) external returns (bool) {
    require(!accounts[from].frozen, 'frozen');
    allowance[from][msg.sender] -= amount;
    accounts[from].balance -= uint128(amount);
    accounts[to].balance += uint128(amount);
    return true;
  }
}

contract Ledger {
  mapping(address => uint256) public balances;
  mapping(address => mapping(address => uint256)) public allowances;
  function set(address owner, uint256 amount) external { balances[owner] = amount; }
  function allow(address owner, address spender, uint256 amount) external { allowances[owner][spender] = amount; }
}

// Keeps its books in another contract, and asks a switch per owner before it reads them.
contract LedgerToken {
  Ledger internal immutable ledger = new Ledger();
  mapping(address => bool) internal hidden;
  function books() external view returns (address) { return address(ledger); }
  function balanceOf(address owner) public view returns (uint256) {
    if (hidden[owner]) return 0;
    return ledger.balances(owner);
  }
  function allowance(address owner, address spender) public view returns (uint256) { return ledger.allowances(owner, spender); }
  function transferFrom(address from, address to, uint256 amount) external returns (bool) {
    ledger.allow(from, msg.sender, allowance(from, msg.sender) - amount);
    ledger.set(from, balanceOf(from) - amount);
    ledger.set(to, balanceOf(to) + amount);
    return true;
  }
}

// A balance is a share of a pot: no slot holds it. Rounds down, as such tokens do.
contract SharesToken {
  uint256 internal pot = 1_000_003e9;
  uint256 internal totalShares = 900_000e9;
  mapping(address => uint256) internal shares;
  mapping(address => mapping(address => uint256)) public allowance;
  constructor(address holder) { shares[holder] = totalShares; }
  function balanceOf(address owner) public view returns (uint256) { return shares[owner] * pot / totalShares; }
  function approve(address spender, uint256 amount) external returns (bool) {
    require(amount == 0 || allowance[msg.sender][spender] == 0, 'not zero');
    allowance[msg.sender][spender] = amount;
    return true;
  }
  function transfer(address to, uint256 amount) external returns (bool) { return move(msg.sender, to, amount); }
  function transferFrom(address from, address to, uint256 amount) external returns (bool) {
    allowance[from][msg.sender] -= amount;
    return move(from, to, amount);
  }
  function move(address from, address to, uint256 amount) internal returns (bool) {
    uint256 moved = amount * totalShares / pot;
    shares[from] -= moved;
    shares[to] += moved;
    return true;
  }
}

// A balance is the last entry of a growing history: an owner without one has no slot to override.
contract HistoryToken {
  mapping(address => uint128[]) internal history;
  mapping(address => mapping(address => uint256)) public allowance;
  constructor(address holder) { history[holder].push(1e30); }
  function balanceOf(address owner) public view returns (uint256) {
    uint256 length = history[owner].length;
    return length == 0 ? 0 : history[owner][length - 1];
  }
  function approve(address spender, uint256 amount) external returns (bool) {
    require(amount == 0 || allowance[msg.sender][spender] == 0, 'not zero');
    allowance[msg.sender][spender] = amount;
    return true;
  }
  function transfer(address to, uint256 amount) external returns (bool) { return move(msg.sender, to, amount); }
  function transferFrom(address from, address to, uint256 amount) external returns (bool) {
    allowance[from][msg.sender] -= amount;
    return move(from, to, amount);
  }
  // Keeps one unit of each transfer.
  function move(address from, address to, uint256 amount) internal returns (bool) {
    history[from].push(uint128(balanceOf(from) - amount));
    history[to].push(uint128(balanceOf(to) + amount - 1));
    return true;
  }
}

// Tells by everything that used to differ whether it is simulated; a bit for each.
contract Detector {
  function signs() external view returns (uint256 found) {
    if (block.prevrandao == uint256(blockhash(block.number - 1))) found |= 1;
    if (block.coinbase == address(0)) found |= 2;
    if (tx.gasprice == block.basefee) found |= 4;
    if (gasleft() > 16e6) found |= 8;
  }
  function leaveBehind() external returns (uint256 left) {
    left = gasleft();
    assembly { sstore(0, left) }
  }
  // Costs a million gas and more where it is asked for it, and fails with less.
  function hungry(uint256 wanted) external { uint256 start = gasleft(); while (start - gasleft() < wanted) { assembly { sstore(1, add(sload(1), 1)) } } }
  function nested(uint256 wanted, uint256 depth) external {
    if (depth == 0) this.hungry(wanted);
    else this.nested(wanted, depth - 1);
  }
}

contract Bench {
  error Custom(uint256 wanted, address who);
  mapping(uint256 => uint256) internal slots;
  uint256 internal counter;
  event Done(uint256 value);

  function environment() external view returns (uint256, uint256, uint256, uint256, address, uint256, uint256, bytes32, uint256) {
    return (block.number, block.timestamp, block.basefee, block.prevrandao, block.coinbase, block.gaslimit, tx.gasprice,
      blockhash(block.number - 1), msg.sender.balance);
  }
  function fill(uint256 from, uint256 to) external { for (uint256 i = from; i < to; i++) slots[i] = i + 1; }
  function clear(uint256 from, uint256 to) external { for (uint256 i = from; i < to; i++) delete slots[i]; }
  function create() external returns (address) { return address(new Ledger()); }
  function data(bytes calldata input) external returns (bytes32) { emit Done(input.length); return sha256(input); }
  function keep() external payable {}
  function pay(address payable to, uint256 amount) external { to.transfer(amount); }
  function pull(PlainToken token, uint256 amount) external { token.transferFrom(msg.sender, address(this), amount); }
  function failError() external pure { revert('too little'); }
  function failPanic(uint256 by) external pure returns (uint256) { return 1 / by; }
  function failCustom() external view { revert Custom(7, msg.sender); }
  function failSilently() external pure { assembly { revert(0, 0) } }
  function burn() external { while (true) counter++; }
}
`

export interface CompiledContract {
  readonly abi: Abi
  readonly bytecode: Hex
  readonly runtimeCode: Hex
}

interface Output {
  readonly errors?: { severity: string; formattedMessage: string }[]
  readonly contracts: {
    tests: Record<
      string,
      { abi: Abi; evm: Record<'bytecode' | 'deployedBytecode', { object: string }> }
    >
  }
}

export function compileTestContracts(): Record<string, CompiledContract> {
  return compileSolidity(source)
}

/** Every contract of one source, by name. */
export function compileSolidity(content: string): Record<string, CompiledContract> {
  const input = {
    language: 'Solidity',
    sources: { tests: { content } },
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      outputSelection: {
        '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] },
      },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input))) as Output
  const failed = output.errors?.find(({ severity }) => severity === 'error')
  if (failed) throw new Error(failed.formattedMessage)
  return Object.fromEntries(
    Object.entries(output.contracts.tests).map(([name, { abi, evm }]) => [
      name,
      {
        abi,
        bytecode: `0x${evm.bytecode.object}` as Hex,
        runtimeCode: `0x${evm.deployedBytecode.object}` as Hex,
      },
    ]),
  )
}
