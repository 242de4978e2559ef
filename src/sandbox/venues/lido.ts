/** Lido's stETH, which is a token of the sandbox: it rebases upwards now and then. */
import { encodeFunctionData, parseAbi } from 'viem'
import { wholeSupply } from '../market/deploy-contracts.js'
import { sandboxToken } from '../tokens.js'
import type { SandboxVenue } from './venue.js'
import { everyBlocks, yieldOf } from './yield.js'

/** Yield per year, basis points. */
const yieldBps = 310n
const abi = parseAbi(['function report(uint256 gained)'])

export const lidoVenue: SandboxVenue = {
  async open() {},

  beforeBlock({ chain, deployer }, block) {
    if (block % everyBlocks !== 0) return
    const stETH = sandboxToken('stETH')
    const args = [yieldOf(wholeSupply(stETH), yieldBps)] as const
    const data = encodeFunctionData({ abi, functionName: 'report', args })
    chain.send({ from: deployer, to: stETH.address, data, gas: 100_000n })
  },
}
