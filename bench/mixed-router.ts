/** A plain swap contract over Uniswap V2 and V3 pools, so that all ways of simulating run the same transactions. */
import solc from 'solc'
import type { Hex } from 'viem'
import { parseAbi } from 'viem'

const source = `
// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract MixedRouter {
  struct Hop { address pool; bool concentrated; bool zeroForOne; }

  function swap(address tokenIn, address to, uint256 amount, Hop[] calldata hops) external returns (uint256) {
    call(tokenIn, abi.encodeWithSignature('transferFrom(address,address,uint256)', msg.sender, address(this), amount));
    address token = tokenIn;
    for (uint256 i = 0; i < hops.length; i++) {
      Hop calldata hop = hops[i];
      address next = word(hop.pool, hop.zeroForOne ? 'token1()' : 'token0()');
      uint256 held = balance(next, address(this));
      if (hop.concentrated) {
        uint160 limit = hop.zeroForOne ? 4295128740 : 1461446703485210103287273052203988822378723970341;
        (bool ok,) = hop.pool.call(abi.encodeWithSignature('swap(address,bool,int256,uint160,bytes)',
          address(this), hop.zeroForOne, int256(amount), limit, abi.encode(token)));
        require(ok, 'V3');
      } else {
        swapPair(hop, token, amount);
      }
      amount = balance(next, address(this)) - held;
      token = next;
    }
    call(token, abi.encodeWithSignature('transfer(address,uint256)', to, amount));
    return amount;
  }

  function swapPair(Hop calldata hop, address token, uint256 amount) private {
    (, bytes memory data) = hop.pool.staticcall(abi.encodeWithSignature('getReserves()'));
    (uint256 reserveIn, uint256 reserveOut,) = abi.decode(data, (uint256, uint256, uint256));
    if (!hop.zeroForOne) (reserveIn, reserveOut) = (reserveOut, reserveIn);
    call(token, abi.encodeWithSignature('transfer(address,uint256)', hop.pool, amount));
    uint256 received = (balance(token, hop.pool) - reserveIn) * 997;
    uint256 out = received * reserveOut / (reserveIn * 1000 + received);
    (bool ok,) = hop.pool.call(abi.encodeWithSignature('swap(uint256,uint256,address,bytes)',
      hop.zeroForOne ? 0 : out, hop.zeroForOne ? out : 0, address(this), ''));
    require(ok, 'V2');
  }

  function uniswapV3SwapCallback(int256 amount0, int256 amount1, bytes calldata data) external {
    uint256 owed = uint256(amount0 > 0 ? amount0 : amount1);
    call(abi.decode(data, (address)), abi.encodeWithSignature('transfer(address,uint256)', msg.sender, owed));
  }

  function call(address target, bytes memory data) private {
    (bool ok, bytes memory result) = target.call(data);
    require(ok && (result.length == 0 || abi.decode(result, (bool))), 'token');
  }
  function word(address target, string memory signature) private view returns (address) {
    (, bytes memory data) = target.staticcall(abi.encodeWithSignature(signature));
    return abi.decode(data, (address));
  }
  function balance(address token, address owner) private view returns (uint256) {
    (, bytes memory data) = token.staticcall(abi.encodeWithSignature('balanceOf(address)', owner));
    return abi.decode(data, (uint256));
  }
}
`

export const mixedRouterAbi = parseAbi([
  'struct Hop { address pool; bool concentrated; bool zeroForOne; }',
  'function swap(address tokenIn, address to, uint256 amount, Hop[] hops) returns (uint256)',
])

/** Runtime code. */
export function compileMixedRouter(): Hex {
  const input = {
    language: 'Solidity',
    sources: { bench: { content: source } },
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 1_000_000 },
      outputSelection: { '*': { '*': ['evm.deployedBytecode.object'] } },
    },
  }
  const output = JSON.parse(solc.compile(JSON.stringify(input)))
  const code = output.contracts?.bench?.MixedRouter?.evm.deployedBytecode.object
  if (!code) throw new Error(JSON.stringify(output.errors))
  return `0x${code}`
}
