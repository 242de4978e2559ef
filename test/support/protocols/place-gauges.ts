/**
 * Gauges of Curve's code with their controller: GaugeController, VotingEscrow, LiquidityGaugeV5 and its factory as Balancer deployed
 * them. Ours are who may mint, a minter in Curve's manner, and a gauge of Curve's first version, which no package ships.
 */
import { getContractAddress, numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, type Hex, toAddress } from '../../../src/domain/primitives.js'
import { curveSharesAddresses } from '../../../src/sandbox/addresses.js'
import { loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { output } from '../bundle.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'
import type { ActionCase } from './action-cases.js'

const tasks = 'package/dist/tasks'
const ofController = `${tasks}/20220325-gauge-controller/bytecode`
const ofGauges = `${tasks}/20220822-mainnet-gauge-factory-v2/bytecode`
const field = 'creationCode'
const packages = [
  {
    name: '@balancer-labs/v2-deployments',
    version: '3.2.0',
    integrity:
      'sha512-pghD7qyTVp1832d7F7yHgAeh/EZvS2/GLvUx9ieM671NMh1KTprYZOBCpEVVC9JnE1Vpru5rc9DDNlFw3capVw==',
    files: {
      escrow: { path: `${ofController}/VotingEscrow.json`, field },
      controller: { path: `${ofController}/GaugeController.json`, field },
      minter: { path: `${ofController}/BalancerMinter.json`, field },
      gauge: { path: `${ofGauges}/LiquidityGaugeV5.json`, field },
      factory: { path: `${ofGauges}/LiquidityGaugeFactory.json`, field },
    },
  },
]

export interface GaugeSet {
  readonly controller: Address
  readonly minter: Address
  /** Tokens, in the order of what is staked. */
  readonly gauges: readonly Address[]
  readonly factory: Address
  /** Raw units a second for all gauges together. */
  readonly rate: bigint
}

export interface GaugePlan {
  /** Contracts lie where the chain's file has them; absent: where they come. */
  readonly at?: Slug
  readonly style: 'curve' | 'balancer'
  /** Paid by the minter, which is given some. */
  readonly reward: Address
  readonly staked: readonly Address[]
  /** Paid by somebody else than the minter, by the second for a week. */
  readonly bonus?: Address
}

const isBalancerPool = ({ protocol }: { readonly protocol: string }) => protocol === 'balancer-v2'

type Slug = 'curve-gauge' | 'balancer-gauge'

const shareOf = (slug: Slug): Address =>
  slug === 'curve-gauge'
    ? (curveSharesAddresses[0] as Address)
    : toAddress(String(sandboxPools().find(isBalancerPool)?.id.slice(0, 42)))
const factories: Readonly<Record<Slug, Address>> = {
  'curve-gauge': '0x000000000000000000000000000000000000ca6e',
  'balancer-gauge': '0xf1665e19bc105be4edd3739f88315cc699cc5b65',
}

/** The gauge of each family that `placeGauges` opens for shares of a pool of the sandbox. */
export function placedGauge(slug: Slug) {
  const gauge = toAddress(getContractAddress({ from: factories[slug], nonce: 1n }))
  return { gauge, staked: shareOf(slug) }
}

/** One gauge of each family on the sandbox chain, with a bonus beside what is minted. */
export async function placeGauges(url: string): Promise<void> {
  const node = await new NodeWriter(url).start()
  const bonus = sandboxToken('LINK').address
  for (const [slug, style, symbol] of [
    ['curve-gauge', 'curve', 'CRV'],
    ['balancer-gauge', 'balancer', 'UNI'],
  ] as const) {
    const { gauge, staked } = placedGauge(slug)
    const reward = sandboxToken(symbol).address
    const plan = { at: slug, style, reward, staked: [staked], bonus }
    const { gauges } = await deployGauges(node, plan)
    if (gauges[0] !== gauge) throw new Error(`the gauge of ${slug} is ${gauges[0]}`)
  }
  await node.close()
}

/** Of those gauges, each action. */
export function gaugeCases(): ActionCase[] {
  return (['curve-gauge', 'balancer-gauge'] as const).flatMap((protocol) => {
    const { gauge: primaryAddress, staked: tokenIn } = placedGauge(protocol)
    const act = (action: string, args: Record<string, unknown>) => ({
      protocol,
      action,
      args: { primaryAddress, ...args },
    })
    const deposit = act('deposit', { tokenIn, amountIn: '3000000000000' })
    const withdraw = act('withdraw', { amountOut: output(0) })
    return [
      { protocol, actions: [deposit] },
      { protocol, actions: [deposit, withdraw] },
      { protocol, actions: [deposit, act('harvest', {})], routingStrategy: 'delegate' },
    ]
  })
}

const rate = 10n ** 18n / 5n

/** All gauges have the same weight. */
export async function deployGauges(node: NodeWriter, plan: GaugePlan): Promise<GaugeSet> {
  const { owner } = NodeWriter
  const code = await loadArtifacts('.cache/sandbox', () => {}, packages)
  const own = compileTestContracts('Gauges.sol')
  const of = (name: string): Hex => code[name] ?? '0x'
  const put = (key: 'controller' | 'minter', init: Hex, types: string, values: unknown[]) =>
    plan.at
      ? node.place(toAddress(String(ethereum.venues[plan.at]?.[key])), init, types, values)
      : node.deploy(init, types, values)
  const types = 'address, string, string, address'
  const escrow = await node.deploy(of('escrow'), types, [plan.reward, 'Escrow', 'VE', owner])
  const controller = await put('controller', of('controller'), 'address, address', [escrow, owner])
  const admin = await node.deploy(own('TestTokenAdmin').bytecode, 'address, uint256', [
    plan.reward,
    rate,
  ])
  await node.rpc('anvil_dealERC20', [admin, plan.reward, numberToHex(10n ** 27n)])
  const minterCode = plan.style === 'balancer' ? of('minter') : own('TestMinter').bytecode
  const minter = await put('minter', minterCode, 'address, address', [admin, controller])
  const boosts = await node.deploy(own('TestBoosts').bytecode)
  const implementation = await node.deploy(of('gauge'), 'address, address, address', [
    ...[minter, boosts, owner],
  ])
  const factory = await (plan.at
    ? node.place(factories[plan.at], of('factory'), 'address', [implementation])
    : node.deploy(of('factory'), 'address', [implementation]))
  const set = { controller, minter, factory, rate }
  await node.send(controller, 'function add_type(string, uint256)', ['Pools', 10n ** 18n])
  const gauges: Address[] = []
  for (const token of plan.staked) {
    const gauge = await createGauge(node, set, token)
    gauges.push(gauge)
    await listGauge(node, set, gauge)
    if (plan.bonus) await payBonus(node, gauge, plan.bonus)
  }
  return { ...set, gauges }
}

async function payBonus(node: NodeWriter, gauge: Address, token: Address): Promise<void> {
  const { owner } = NodeWriter
  const amount = 7n * 86_400n * 10n ** 15n
  await node.rpc('anvil_dealERC20', [owner, token, numberToHex(amount)])
  await node.send(token, 'function approve(address, uint256)', [gauge, amount])
  await node.send(gauge, 'function add_reward(address, address)', [token, owner])
  await node.send(gauge, 'function deposit_reward_token(address, uint256)', [token, amount])
}

/** One that no controller lists. */
export async function createGauge(
  node: NodeWriter,
  { factory }: Pick<GaugeSet, 'factory'>,
  staked: Address,
): Promise<Address> {
  const signature = 'function create(address, uint256)'
  const made = await node.read(factory, signature, [staked, 10n ** 18n])
  await node.send(factory, signature, [staked, 10n ** 18n])
  return toAddress(`0x${made.slice(-40)}`)
}

/** A gauge of the first version, or of the second. */
export function createOldGauge(
  node: NodeWriter,
  staked: Address,
  version: 1 | 2 = 1,
): Promise<Address> {
  const name = version === 1 ? 'TestStakeGauge' : 'TestTokenGauge'
  const { bytecode } = compileTestContracts('Gauges.sol')(name)
  return node.deploy(bytecode, 'address, uint256', [staked, rate / 100n])
}

export function listGauge(
  node: NodeWriter,
  { controller }: Pick<GaugeSet, 'controller'>,
  gauge: Address,
): Promise<void> {
  const args = [gauge, 0n, 10n ** 18n]
  return node.send(controller, 'function add_gauge(address, int128, uint256)', args)
}
