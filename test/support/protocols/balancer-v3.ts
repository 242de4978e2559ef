/**
 * Balancer V3's own contracts, of packages that ship their sources, by the compiler of their repository. Pools of
 * earlier versions, of which no package has the source, are ours on the same libraries.
 */
import { readFileSync } from 'node:fs'
import { getContractAddress, parseAbi } from 'viem'
import { type Address, type Hex, toAddress, zeroAddress } from '../../../src/domain/primitives.js'
import { addressIn } from '../../../src/protocols/pool-events.js'
import { compilePackage } from './package-sources.js'
import type { PoolContext } from './pool-context.js'

const own = 'fixtures/test-contracts/BalancerV3.sol'
const vaultFolder = '@balancer-labs/v3-vault/contracts'

const integrities = {
  'v3-vault':
    'sha512-1ITonp/z4wRCoU1WiHAO4Ep0kYC3Sxcmoj1R/+XvqQWOFFKnmdeN47YblokEMTmJmt5ZZ4QiTZV9vtm87Vo9Sw==',
  'v3-pool-weighted':
    'sha512-YIeqcFfBGAdmXifoqlsLwtSdyWFzwYASMpu5WekQmw87biyc4j4MmaZe8E06MqpFYUh/Yn2OrasMWJMw8pMrAw==',
  'v3-pool-stable':
    'sha512-B7nLP3YqiX9PE7UxvH0p5QYT2gaIXaaeA4Gy/1eed9fO4gX/i9M68+KNXH5BPuUlziMD/mHLGXvG1jqB2u6FWw==',
  'v3-pool-utils':
    'sha512-LUdnyZEq/y9w7Mx12K7i126Ga4Zo80sDVW9s3+Mbp5wKsg9LjqfqJXc3KEkUt/fLsjN2g0u4DPjws9wivhv1kg==',
  'v3-interfaces':
    'sha512-HWsARIm+5+UPeQ/vch4BCwLn0dDUD+OjbVUBxAaSj8GbRdmAPoZadtk4B1EZQqHwTn2FmSrGvqR7LzFk4GVcxQ==',
  'v3-solidity-utils':
    'sha512-d0F2KV4pJcUVsaGH5IBSDo7yrnWFbARjTltPNoX7JGRPGjv6QkRpxP6hsl3/4v7vahNzhMN+0ougidPNwpDdzQ==',
}

export const compileBalancerV3 = () =>
  compilePackage({
    compiler: {
      name: 'solc',
      version: '0.8.26',
      integrity:
        'sha512-yiPQNVf5rBFHwN6SIf3TUUvVAFKcQqmSUFeq+fb6pNRCo0ZCgpYOZDi3BVoezCPIAcKrVYd/qXlBLUP9wVrZ9g==',
    },
    folders: [
      ...Object.entries(integrities).map(([name, integrity]) => ({
        name: `@balancer-labs/${name}`,
        version: '1.0.0',
        integrity,
        folder: 'package/',
        prefix: `@balancer-labs/${name}/`,
      })),
      {
        name: '@openzeppelin/contracts',
        version: '5.0.2',
        integrity:
          'sha512-ytPc6eLGcHHnapAZ9S+5qsdomhjo6QBHTDRRBFfTxXIpsicMhVPouPgmUPebZZZGX7vt9USA+Z+0M0dSVtSUEA==',
        folder: 'package/',
        prefix: '@openzeppelin/contracts/',
      },
    ],
    own: { path: own, content: readFileSync(own, 'utf8') },
    contracts: {
      Vault: `${vaultFolder}/Vault.sol`,
      VaultExtension: `${vaultFolder}/VaultExtension.sol`,
      VaultAdmin: `${vaultFolder}/VaultAdmin.sol`,
      ProtocolFeeController: `${vaultFolder}/ProtocolFeeController.sol`,
      WeightedPoolFactory: '@balancer-labs/v3-pool-weighted/contracts/WeightedPoolFactory.sol',
      StablePoolFactory: '@balancer-labs/v3-pool-stable/contracts/StablePoolFactory.sol',
      Provider: own,
      EarlierWeightedPool: own,
      EarlierStablePool: own,
      EarlierFactory: own,
      IdleHooks: own,
      FeeHooks: own,
      ForgingHooks: own,
    },
    edits: [],
    settings: { evmVersion: 'cancun', viaIR: true, optimizer: { enabled: true, runs: 1 } },
  })

type Code = (name: string) => Hex

const structs = [
  'struct TokenConfig { address token; uint8 tokenType; address rateProvider; bool paysYieldFees; }',
  'struct Roles { address pauseManager; address swapFeeManager; address poolCreator; }',
] as const
const weightedAbi = parseAbi([
  'function create(string name, string symbol, TokenConfig[] tokens, uint256[] weights, Roles roles, uint256 swapFee, address hooks, bool enableDonation, bool disableUnbalanced, bytes32 salt)',
  ...structs,
])
const stableAbi = parseAbi([
  'function create(string name, string symbol, TokenConfig[] tokens, uint256 amp, Roles roles, uint256 swapFee, address hooks, bool enableDonation, bool disableUnbalanced, bytes32 salt)',
  ...structs,
])
const earlierAbi = parseAbi([
  'function register(address pool, TokenConfig[] tokens, uint256 swapFee)',
  ...structs,
])
const providerAbi = parseAbi([
  'function initialize(address vault, address pool, address[] tokens, uint256[] amounts)',
])
const tokenAbi = parseAbi(['function transfer(address, uint256)'])

export const vaultAbi = parseAbi([
  'function pausePool(address)',
  'function unpausePool(address)',
  'function pauseVault()',
  'function unpauseVault()',
  'function enableRecoveryMode(address)',
  'function setStaticSwapFeePercentage(address, uint256)',
])

const e18 = 10n ** 18n
const pauseWindow = 365 * 86_400

/** Token of a pool to be made. */
export interface Side {
  readonly decimals: number
  /** Whole tokens; some raw units come on top. */
  readonly amount: bigint
  /** E18; absent: the token has no rate. */
  readonly rate?: bigint
  /** Percent, of weighted pools. */
  readonly weight?: bigint
}

export interface Wanted {
  readonly kind: 'weighted' | 'stable'
  /** Of a version before the limits of balances. */
  readonly isEarlier?: boolean
  readonly sides: readonly Side[]
  /** E18. */
  readonly swapFee: bigint
  /** Of stable pools. */
  readonly amp?: bigint
  readonly hooks?: Address
  /** False: the pool has no liquidity. Absent: it has. */
  readonly isInitialized?: boolean
}

export interface Made {
  readonly contract: Address
  readonly tokens: readonly Address[]
  /** Where the rate of each token is asked for; null: nowhere. */
  readonly providers: readonly (Address | null)[]
  /** Events of the transaction that registered it. */
  readonly logs: NonNullable<Awaited<ReturnType<PoolContext['send']>>>['logs']
}

export interface BalancerV3 {
  readonly vault: Address
  readonly controller: Address
  readonly factories: readonly Address[]
  readonly code: Code
  create(wanted: Wanted): Promise<Made>
}

/** On a bare chain, whose trader has sent nothing yet. Everybody may do anything; half of all fees leaves the pools. */
export async function placeBalancerV3(chain: PoolContext): Promise<BalancerV3> {
  const compiled = await compileBalancerV3()
  const code: Code = (name) => compiled(name).bytecode
  // The Vault is told its parts, and they the Vault: it is the fifth contract of the account.
  const vault = toAddress(getContractAddress({ from: chain.trader, nonce: 4n }))
  const authorizer = await chain.answering(1n)
  const admin = await chain.deploy(
    code('VaultAdmin'),
    'address, uint32, uint32, uint256, uint256',
    [vault, pauseWindow, 90 * 86_400, 1_000_000n, 10_000n],
  )
  const extension = await chain.deploy(code('VaultExtension'), 'address, address', [vault, admin])
  const controller = await chain.deploy(
    code('ProtocolFeeController'),
    'address, uint256, uint256',
    [vault, e18 / 2n, e18 / 10n],
  )
  const placed = await chain.deploy(code('Vault'), 'address, address, address', [
    ...[extension, authorizer, controller],
  ])
  if (placed !== vault) throw new Error('the Vault is elsewhere')
  const made = 'address, uint32, string, string'
  const weighted = await chain.deploy(code('WeightedPoolFactory'), made, [
    ...[vault, pauseWindow, ''],
    '{"name":"WeightedPool","version":2,"deployment":"test"}',
  ])
  const stable = await chain.deploy(code('StablePoolFactory'), made, [
    ...[vault, pauseWindow, ''],
    '{"name":"StablePool","version":3,"deployment":"test"}',
  ])
  const earlier = await chain.deploy(code('EarlierFactory'), 'address', [vault])
  const provider = await chain.deploy(code('Provider'))
  let pools = 0n

  async function create(wanted: Wanted): Promise<Made> {
    const found: { readonly side: Side; readonly token: Address }[] = []
    for (const side of wanted.sides) found.push({ side, token: await chain.token(side.decimals) })
    found.sort((a, b) => (a.token < b.token ? -1 : 1))
    const providers: (Address | null)[] = []
    for (const { side } of found) {
      providers.push(side.rate === undefined ? null : await chain.answering(side.rate))
    }
    const tokens = found.map(({ token }) => token)
    const configs = tokens.map((token, k) => ({
      token,
      tokenType: providers[k] ? 1 : 0,
      rateProvider: providers[k] ?? zeroAddress,
      paysYieldFees: providers[k] !== null,
    }))
    const weights = found.map(({ side }) => ((side.weight ?? 0n) * e18) / 100n)
    pools += 1n
    const { contract, logs } = wanted.isEarlier
      ? await registerEarlier(wanted, configs, weights)
      : await createByFactory(wanted, configs, weights)
    if (wanted.isInitialized !== false) {
      const amounts = found.map(({ side }) => side.amount * 10n ** BigInt(side.decimals) + 7n)
      for (const [k, token] of tokens.entries()) {
        await chain.send(token, tokenAbi, 'transfer', [provider, amounts[k]])
      }
      const args = [vault, contract, tokens, amounts]
      if (!(await chain.send(provider, providerAbi, 'initialize', args))) {
        throw new Error('no liquidity')
      }
    }
    return { contract, tokens, providers, logs }
  }

  async function createByFactory(
    wanted: Wanted,
    configs: readonly unknown[],
    weights: readonly bigint[],
  ) {
    const isStable = wanted.kind === 'stable'
    const factory = isStable ? stable : weighted
    const roles = [zeroAddress, zeroAddress, zeroAddress]
    const [pauseManager, swapFeeManager, poolCreator] = roles
    const sent = await chain.send(factory, isStable ? stableAbi : weightedAbi, 'create', [
      ...['Pool', 'POOL', configs],
      isStable ? wanted.amp : weights,
      { pauseManager, swapFeeManager, poolCreator },
      ...[wanted.swapFee, wanted.hooks ?? zeroAddress, false, false],
      `0x${pools.toString(16).padStart(64, '0')}`,
    ])
    if (!sent) throw new Error('no pool')
    // The Vault tells of the pool and its factory.
    const told = sent.logs.find(({ topics: [, , of] }) => of && addressIn(of) === factory)
    const contract = addressIn(told?.topics[1])
    if (!contract) throw new Error('no pool was registered')
    return { contract, logs: sent.logs }
  }

  async function registerEarlier(
    wanted: Wanted,
    configs: readonly unknown[],
    weights: readonly bigint[],
  ) {
    const contract =
      wanted.kind === 'stable'
        ? await chain.deploy(
            code('EarlierStablePool'),
            '(string name, string symbol, uint256 amp, string version) params, address vault',
            [
              {
                name: 'Pool',
                symbol: 'POOL',
                amp: wanted.amp,
                version: '{"name":"StablePool","version":2,"deployment":"test"}',
              },
              vault,
            ],
          )
        : await chain.deploy(
            code('EarlierWeightedPool'),
            '(string name, string symbol, uint256 numTokens, uint256[] weights, string version, uint256[] minimums) params, address vault',
            [
              {
                name: 'Pool',
                symbol: 'POOL',
                weights,
                numTokens: BigInt(weights.length),
                version: '{"name":"WeightedPool","version":1,"deployment":"test"}',
                minimums: weights.map(() => 1_000_000n),
              },
              vault,
            ],
          )
    const args = [contract, configs, wanted.swapFee]
    const sent = await chain.send(earlier, earlierAbi, 'register', args)
    if (!sent) throw new Error('not registered')
    return { contract, logs: sent.logs }
  }

  return { vault, controller, factories: [weighted, stable, earlier], code, create }
}
