/** The engine's methods about wallets: balances, approvals and token prices. */
import type { CallContext, Engine, PriceRecord } from '../domain/engine.js'
import type { WalletBalance } from '../domain/metadata.js'
import { type RoutingStrategy, routingStrategies } from '../domain/order.js'
import type { Address, BlockPin } from '../domain/primitives.js'
import { walletAddress } from '../executor/deployments.js'
import { strategyContract } from '../executor/strategies.js'
import type { TokenPriceFact } from '../routing/tasks/prices-task.js'
import type { ConfiguredChains } from './configured-chains.js'
import type { TaskRunner } from './task-runner.js'

export interface AccountsParts {
  readonly chains: ConfiguredChains
  readonly run: TaskRunner['run']
  readonly listings: Engine['listings']
}

export function createAccounts(
  parts: AccountsParts,
): Pick<Engine, 'prices' | 'wallet' | 'approval' | 'presentTokens' | 'balances'> {
  const { chains, run } = parts
  return {
    async prices(chainId, addresses, blockNumber, context) {
      const args = { addresses }
      const { block, facts } = await run('prices', args, { chainId, blockNumber }, context)
      return facts.map((fact) => fact && toPriceRecord(chainId, fact, block))
    },

    async wallet({ chainId, fromAddress, blockNumber }, context) {
      const address = walletAddress(fromAddress)
      const isDeployed = await run('isDeployed', { address }, { chainId, blockNumber }, context)
      return {
        address,
        isDeployed,
        owner: fromAddress,
        chainId,
        strategies: Object.fromEntries(
          routingStrategies.map((strategy) => [strategy, strategyContract(strategy)]),
        ) as Record<RoutingStrategy, Address>,
      }
    },

    async approval({ chainId, fromAddress, strategy, token, amount, blockNumber }, context) {
      const args = { owner: fromAddress, token, strategy, amount }
      return run('approval', args, { chainId, blockNumber }, context)
    },

    async presentTokens({ chainId, tokens }, context) {
      return run('presentTokens', { tokens }, { chainId }, context)
    },

    async balances({ chainId, eoaAddress, useEoa, blockNumber }, context) {
      const owner = useEoa ? eoaAddress : walletAddress(eoaAddress)
      const ids = chainId === 'all' ? chains.all.map(({ id }) => id) : [chains.of(chainId).id]
      const lists = await Promise.all(
        ids.map((id) => balancesOn({ chainId: id, owner, blockNumber }, context, parts)),
      )
      return lists.flat()
    },
  }
}

/** The owner's balances of all base tokens of one chain. */
async function balancesOn(
  {
    chainId,
    owner,
    blockNumber,
  }: { chainId: number; owner: Address; blockNumber?: bigint | undefined },
  context: CallContext,
  { run, listings }: AccountsParts,
): Promise<WalletBalance[]> {
  const listed = await listings({ chainId, baseOnly: true }, context)
  const tokens = listed.flatMap(({ token }) => token?.address ?? [])
  const logos = new Map(listed.map(({ token }) => [token?.address, token?.logoUri ?? null]))
  const balances = await run('balances', { owner, tokens }, { chainId, blockNumber }, context)
  return balances.map(({ token, amount, priceUsd }) => ({
    token: token.address,
    amount,
    chainId,
    decimals: token.decimals,
    price: priceUsd === null ? null : String(priceUsd),
    name: token.name,
    symbol: token.symbol,
    logoUri: token.logoUri ?? logos.get(token.address) ?? null,
  }))
}

function toPriceRecord(
  chainId: number,
  { token, priceUsd, confidence, source }: TokenPriceFact,
  block: BlockPin,
): PriceRecord {
  return {
    chainId,
    address: token.address,
    decimals: token.decimals,
    price: priceUsd,
    ...(token.symbol !== null && { symbol: token.symbol }),
    ...(token.name !== null && { name: token.name }),
    timestamp: Number(block.timestamp),
    confidence,
    blockNumber: Number(block.number),
    source,
  }
}
