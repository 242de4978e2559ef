/** Routes over HTTP through venues that tests place on copies of chains: asked, carried out on an Anvil, and refused. */
import { encodeFunctionData, numberToHex, parseAbi } from 'viem'
import { expect } from 'vitest'
import type { ChainDefinition } from '../../../src/chains/chain.js'
import type { Address } from '../../../src/domain/primitives.js'
import { protocolBySlug, protocols } from '../../../src/protocols/registry.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { type Sandbox, startSandboxes } from '../../../src/sandbox/sandbox.js'
import { askBundle, executeBundle } from '../bundle.js'
import { type ExecuteArgs, type Execution, executeOnFork } from '../execute.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { startService, type TestService } from './service.js'

const alice = sandboxAccount('alice').address

export type VenueSwap = readonly [tokenIn: Address, tokenOut: Address, amountIn: bigint]

/** All but these protocols; a project's name would leave out its protocols, too. */
function othersThan(slugs: readonly string[]): string[] {
  const projects = slugs.map((slug) => protocolBySlug(slug)?.project)
  return protocols
    .map(({ slug }) => slug)
    .filter((one) => !slugs.includes(one) && !projects.includes(one))
}

export class VenueRoutes {
  readonly #sandboxes: readonly Sandbox[]
  readonly #service: TestService

  private constructor(sandboxes: readonly Sandbox[], service: TestService) {
    this.#sandboxes = sandboxes
    this.#service = service
  }

  /**
   * @param place - puts the venues on the chain before the service starts.
   * @param settings - variables of the service besides its nodes.
   */
  static async start(
    places: readonly {
      readonly chain: ChainDefinition
      readonly place: (node: NodeWriter, url: string) => Promise<void>
    }[],
    settings: Readonly<Record<string, string>> = {},
  ): Promise<VenueRoutes> {
    const sandboxes = await startSandboxes(places.map(({ chain }) => chain.id))
    for (const { chain, place } of places) {
      const url = sandboxes.find(({ chainId }) => chainId === chain.id)?.url ?? ''
      const node = await new NodeWriter(url).start()
      await place(node, url)
      // Balances that are set are those of the next block.
      await node.rpc('evm_mine', [])
      await node.close()
    }
    const nodes = sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])
    const service = await startService({
      ...Object.fromEntries(nodes),
      ...settings,
      AUTH_MODE: 'open',
    })
    return new VenueRoutes(sandboxes, service)
  }

  async stop(): Promise<void> {
    await this.#service.stop()
    await Promise.all(this.#sandboxes.map((sandbox) => sandbox.stop()))
  }

  #nodeOf({ id }: ChainDefinition): string {
    return this.#sandboxes.find(({ chainId }) => chainId === id)?.url ?? ''
  }

  /** @param slugs - of the protocols that are asked; absent: all. */
  ask(chain: ChainDefinition, [tokenIn, tokenOut, amountIn]: VenueSwap, slugs?: readonly string[]) {
    return this.#service.get('/api/v1/shortcuts/route', {
      chainId: String(chain.id),
      fromAddress: alice,
      tokenIn,
      tokenOut,
      amountIn: String(amountIn),
      ...(slugs && { ignoreStandards: othersThan(slugs).join() }),
    })
  }

  /** The answered transaction, carried out. */
  execute(
    chain: ChainDefinition,
    [tokenIn, tokenOut, amountIn]: VenueSwap,
    // biome-ignore lint/suspicious/noExplicitAny: answers are checked field by field in the tests
    body: any,
    before: Pick<ExecuteArgs, 'prepare' | 'first'> = {},
  ): Promise<Execution> {
    return executeOnFork({
      nodeUrl: this.#nodeOf(chain),
      blockNumber: body.createdAt,
      blockTimeSeconds: chain.blockTimeSeconds,
      tx: body.tx,
      fund: [{ token: tokenIn, amount: amountIn }],
      approve: body.tx.to,
      watch: [
        { token: tokenOut, owner: alice },
        { token: tokenIn, owner: alice },
      ],
      ...before,
    })
  }

  /** The route, carried out: what is paid has to be what the answer says. @returns its protocols. */
  async prove(
    chain: ChainDefinition,
    swap: VenueSwap,
    slugs?: readonly string[],
  ): Promise<Set<string>> {
    const { status, text, body } = await this.ask(chain, swap, slugs)
    expect(status, text.slice(0, 300)).toBe(200)
    const execution = await this.execute(chain, swap, body)
    expect(execution.status, text.slice(0, 300)).toBe('success')
    expect(execution.deltas[0]).toBe(BigInt(body.amountOut))
    const named = JSON.stringify(body.route).match(/"protocol":"[a-z0-9-]+"/g) ?? []
    return new Set(named.map((one) => one.slice(12, -1)))
  }

  /** The same swap as an action of a bundle. */
  async proveAction(
    chain: ChainDefinition,
    [tokenIn, tokenOut, amountIn]: VenueSwap,
    protocol: string,
  ): Promise<void> {
    const query = { chainId: String(chain.id), fromAddress: alice, routingStrategy: 'router' }
    const args = { tokenIn, tokenOut, amountIn: String(amountIn), slippage: '100' }
    const action = { protocol, action: 'swap', args }
    const { status, text, body } = await askBundle(this.#service, query, [action])
    expect(status, text.slice(0, 300)).toBe(200)
    const execution = await executeBundle({ nodeUrl: this.#nodeOf(chain) }, body)
    expect(execution.status).toBe('success')
    expect(execution.gained).toEqual(body.amountsOut)
  }

  /** No promise: the request is told that there is no route, or that none could be carried out. */
  async refuse(
    chain: ChainDefinition,
    swap: VenueSwap,
    slug: string,
    code: 'NO_ROUTE' | 'SIMULATION_REVERTED' = 'NO_ROUTE',
  ): Promise<void> {
    const { status, text, body } = await this.ask(chain, swap, [slug])
    expect(status, text.slice(0, 300)).toBe(422)
    expect(body.code).toBe(code)
  }

  /**
   * Changes the chain by transactions, and waits until the service stands on the last of them. Balances that are set would be
   * those of a block which the service has read already.
   */
  async change(chain: ChainDefinition, by: (node: NodeWriter) => Promise<void>): Promise<void> {
    const node = await new NodeWriter(this.#nodeOf(chain)).start()
    await by(node)
    const head = Number(await node.rpc('eth_blockNumber', []))
    await node.close()
    const newest = async () => {
      const { body } = await this.#service.get('/api/v1/networks')
      return body.find(({ id }: { id: number }) => id === chain.id)?.blockNumber
    }
    await expect.poll(newest).toBe(head)
  }
}

/** A call of Alice that comes before the answer in its block. */
export function aheadBy(
  to: Address,
  signature: string,
  args: readonly unknown[],
): Pick<ExecuteArgs, 'first'> {
  // The type of a signature that is not known at compile time is `never`.
  const abi = parseAbi([signature] as readonly string[] as never)
  const data = encodeFunctionData({ abi, args } as never)
  return { first: [{ from: alice, to, data, value: '0' }] }
}

/** Tokens for the contract from nowhere. */
export async function deal(
  node: NodeWriter,
  holder: Address,
  amounts: readonly (readonly [token: Address, amount: bigint])[],
): Promise<void> {
  for (const [token, amount] of amounts) {
    await node.rpc('anvil_dealERC20', [holder, token, numberToHex(amount)])
  }
}
