/** Our own contracts on the sandbox chain, where everybody finds them, and the users' approvals of the Router. */
import { concatHex, encodeFunctionData } from 'viem'
import { stargatePools } from '../../bridges/stargate/pools.js'
import { maxUint256 } from '../../domain/primitives.js'
import {
  composeLanding,
  contractAddress,
  deploymentProxy,
  executorContracts,
  zeroSalt,
} from '../../executor/deployments.js'
import { sandboxAccount } from '../accounts.js'
import type { ChainWriter } from '../chain/chain-writer.js'
import { rawWorth } from './amounts.js'
import { tokenAbi } from './market-abi.js'
import type { Market } from './market-pools.js'

const deploymentGas = 12_000_000n

/** What bob lets the Router take of each token, dollars. Alice sets no limit, the others allow nothing. */
const limitUsd = 100_000

/** Queues the transactions; the caller mines. */
export function deployExecutor(
  chain: ChainWriter,
  { chain: definition, tokens, startPrices }: Market,
): void {
  const from = sandboxAccount('deployer').address
  for (const { deployer, initCode } of Object.values(executorContracts)) {
    // What a constructor of ours deploys comes with its parent.
    if (deployer) continue
    const data = concatHex([zeroSalt, initCode])
    chain.send({ from, to: deploymentProxy, data, gas: deploymentGas })
  }
  for (const { initCode } of stargatePools(definition).map(composeLanding)) {
    const data = concatHex([zeroSalt, initCode])
    chain.send({ from, to: deploymentProxy, data, gas: deploymentGas })
  }
  const router = contractAddress('Router')
  for (const token of tokens) {
    const approvals = [
      ['alice', maxUint256],
      ['bob', rawWorth(token, limitUsd, startPrices)],
    ] as const
    for (const [name, amount] of approvals) {
      const args = [router, amount] as const
      const data = encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args })
      chain.send({ from: sandboxAccount(name).address, to: token.address, data })
    }
  }
}
