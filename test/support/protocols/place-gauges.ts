/**
 * Gauges of Curve's code with their controller: GaugeController, VotingEscrow, LiquidityGaugeV5 and its factory as Balancer deployed
 * them. Ours are who may mint, a minter in Curve's manner, and a gauge of Curve's first version, which no package ships.
 */
import { numberToHex } from 'viem'
import { ethereum } from '../../../src/chains/ethereum.js'
import { type Address, type Hex, toAddress } from '../../../src/domain/primitives.js'
import { loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import { NodeWriter } from '../nodes/node-writer.js'
import { compileTestContracts } from '../test-contracts.js'

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
  readonly at?: 'curve-gauge' | 'balancer-gauge'
  readonly style: 'curve' | 'balancer'
  /** Paid by the minter, which is given some. */
  readonly reward: Address
  readonly staked: readonly Address[]
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
  const factory = await node.deploy(of('factory'), 'address', [implementation])
  const set = { controller, minter, factory, rate }
  await node.send(controller, 'function add_type(string, uint256)', ['Pools', 10n ** 18n])
  const gauges: Address[] = []
  for (const token of plan.staked) {
    const gauge = await createGauge(node, set, token)
    gauges.push(gauge)
    await listGauge(node, set, gauge)
  }
  return { ...set, gauges }
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

/** A gauge of the first version. */
export function createStakeGauge(node: NodeWriter, staked: Address): Promise<Address> {
  const { bytecode } = compileTestContracts('Gauges.sol')('TestStakeGauge')
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
