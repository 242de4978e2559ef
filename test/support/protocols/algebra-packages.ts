/** Algebra's own contracts as its packages ship them, and exchanges of them on a bare Anvil. */
import { type Abi, parseAbi } from 'viem'
import type { Address, Hex } from '../../../src/domain/primitives.js'
import type { ArtifactPackage } from '../../../src/sandbox/contracts/artifact-package.js'
import { codeOf, loadArtifacts } from '../../../src/sandbox/contracts/artifacts.js'
import type { PoolContext } from './pool-context.js'

const file = (path: string) => ({
  path: `package/artifacts/contracts/${path}.json`,
  field: 'bytecode',
})
const core = (prefix: string) => ({
  [`${prefix}Factory`]: file('AlgebraFactory.sol/AlgebraFactory'),
  [`${prefix}Deployer`]: file('AlgebraPoolDeployer.sol/AlgebraPoolDeployer'),
  [`${prefix}Pool`]: file('AlgebraPool.sol/AlgebraPool'),
})
const periphery = (prefix: string) => ({ [`${prefix}Quoter`]: file('lens/Quoter.sol/Quoter') })

/** Each core with the periphery that was compiled for its pools. */
const packages: readonly ArtifactPackage[] = [
  {
    name: '@cryptoalgebra/v1-core',
    version: '1.0.0',
    integrity:
      'sha512-xuGKpcmVrGAu2h93lGKiOhbOdtkmy2EapHeH0SrRaVMolDkszFcx4lyrIDULKsjrN7xba85lxAcEyPoX2E2tGQ==',
    files: core('v1'),
  },
  {
    name: '@cryptoalgebra/periphery',
    version: '1.0.0',
    integrity:
      'sha512-iU2bzVIIcdkgfKccRnLnlNYOGy46wOK622ZBQGd3KQJ8RwV2xvIIGLtZvd7dSZSL9+dLhh2fqgb0mb8k8Rv3Mw==',
    files: periphery('v1'),
  },
  {
    name: '@cryptoalgebra/integral-core',
    version: '1.0.0',
    integrity:
      'sha512-1cUooKmmeNDdubiTcosXQ0vQ7qszgBiFxkJFue4rqSzNQs47wrCHnyA0tC86D+mOQFssZ1DDaK7ghNFb5+OPzA==',
    files: core('integral10'),
  },
  {
    name: '@cryptoalgebra/integral-periphery',
    version: '1.0.2',
    integrity:
      'sha512-mh7mpKrxTYE7p177Cmh9dBRV2MclJj8+ISoZ6uPjU0KaPUp0HIzeFnrwMyFscaQu6Y7OM54jWxvwIbOIn8xA5g==',
    files: periphery('integral10'),
  },
  {
    name: '@cryptoalgebra/integral-core',
    version: '1.2.1',
    integrity:
      'sha512-+Lj7y2ZqpJ58fNtqTRvrMv/HPcyqNkMpINu9LQK6/iMDePmzNoywogLLiGU34MlxAaGEwO6XNWM7ENq/YzzZzA==',
    files: core('integral12'),
  },
  {
    name: '@cryptoalgebra/integral-periphery',
    version: '1.2.1',
    integrity:
      'sha512-yEBd7IxewEGDanECgTcD3o/wKlSxgLtc1l9PV3CHhWBOG7larKUa/DuHgkqS9fNysBnt4eyzuXC83rtNRmazuA==',
    files: periphery('integral12'),
  },
  {
    name: '@cryptoalgebra/integral-core',
    version: '1.2.10',
    integrity:
      'sha512-L6A09tSmcsmZZEwLG3W5ve1RzPManARHiDdkbLq8F7mQa+C6hegq+w1FICHNFKNtkfo+eChZF97Du6SVfJkeUQ==',
    files: core('integral1210'),
  },
  {
    name: '@cryptoalgebra/integral-periphery',
    version: '1.2.4',
    integrity:
      'sha512-gaVKaZ7EWMkbzS6z7tzTB3C2r9vdupfGbAscWNEXB57A47b3uWo7hElfsxg/gfb0FmBFpfaamqVW+Q8FHZatLg==',
    files: periphery('integral1210'),
  },
  {
    name: '@cryptoalgebra/integral-base-plugin',
    version: '1.2.1',
    integrity:
      'sha512-BgeLkSbuaTGs1LwBh4XDHAN9YUuKmjx13rdGeM0uKQrEndP1uay3rSA6WGlZEUHIKnXAcjrj5aGqyK+4MwgM9w==',
    files: {
      adaptivePlugins: file('BasePluginV1Factory.sol/BasePluginV1Factory'),
      slidingPlugins: file('BasePluginV2Factory.sol/BasePluginV2Factory'),
    },
  },
]

export async function algebraCode(): Promise<(key: string) => Hex> {
  const artifacts = await loadArtifacts('.cache/sandbox', () => {}, packages)
  return (key) => codeOf(artifacts, key)
}

/** The last is the newest release of 1.2. */
export type AlgebraVersion = 'v1' | 'integral10' | 'integral12' | 'integral1210'

const makeAbi = {
  v1: parseAbi(['function createPool(address, address)']),
  integral10: parseAbi(['function createPool(address, address)']),
  integral12: parseAbi(['function createPool(address, address, bytes)']),
  integral1210: parseAbi(['function createPool(address, address, bytes)']),
} satisfies Record<AlgebraVersion, Abi>
const ownerAbi = parseAbi([
  'function setFactory(address)',
  'function setDefaultPluginFactory(address)',
])

export interface AlgebraExchange {
  readonly venue: { readonly factory: Address; readonly quoter: Address }
  /**
   * @param plugins - factory of plugins for the pool, until another is named.
   * @returns what the transaction logged.
   */
  makePool(
    tokens: readonly [Address, Address],
    plugins?: Address,
  ): Promise<NonNullable<Awaited<ReturnType<PoolContext['send']>>>['logs']>
}

/** Factory, deployer of pools and quoter. */
export async function placeAlgebra(
  context: PoolContext,
  version: AlgebraVersion,
): Promise<AlgebraExchange> {
  const code = await algebraCode()
  const stranger: Address = '0x00000000000000000000000000000000000a19eb'
  const isV1 = version === 'v1'
  const deployer = isV1
    ? await context.deploy(code('v1Deployer'))
    : await context.deploy(code(`${version}Deployer`), 'address', [await context.addressAhead(1)])
  const factory = isV1
    ? await context.deploy(code('v1Factory'), 'address, address', [deployer, stranger])
    : await context.deploy(code(`${version}Factory`), 'address', [deployer])
  if (isV1) await context.send(deployer, ownerAbi, 'setFactory', [factory])
  const args = [factory, stranger, deployer]
  const quoter = await context.deploy(code(`${version}Quoter`), 'address, address, address', args)
  return {
    venue: { factory, quoter },
    async makePool(tokens, plugins) {
      if (plugins) await context.send(factory, ownerAbi, 'setDefaultPluginFactory', [plugins])
      const values = version.startsWith('integral12') ? [...tokens, '0x'] : tokens
      const made = await context.send(factory, makeAbi[version], 'createPool', values)
      if (!made) throw new Error('no pool was made')
      return made.logs
    },
  }
}
