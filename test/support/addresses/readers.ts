/** Takes statements out of the text of packages' files, which are never run. */
import type { FilesOfPackage } from '../../../src/sandbox/contracts/package-files.js'
import { type AddressPackage, chainNames, pendleChains, stargateContracts } from './packages.js'
import { addressOf, body, chainIdOf, entries, hex, jsonIn, textOf, wanted } from './text.js'

interface Found {
  readonly chainId: number
  readonly address: string
  readonly role: string
}

/** A table by chain, such as `FACTORY_ADDRESSES = { [ChainId.BSC]: '0x…' }`. */
function byChain(text: string, table: string, role: string): Found[] {
  return entries(text, table).flatMap(({ key, address }) => {
    const chainId = chainIdOf(key)
    return chainId === null ? [] : [{ chainId, address, role }]
  })
}

function uniswap(files: FilesOfPackage): Found[] {
  const text = textOf(files, 'addresses.js')
  const roles = {
    v3CoreFactoryAddress: 'uniswap-v3 factory',
    nonfungiblePositionManagerAddress: 'uniswap-v3 positionManager',
    swapRouter02Address: 'uniswap-v3 routers',
    v4PoolManagerAddress: 'uniswap-v4 poolManager',
  }
  const swapRouter = new RegExp(`swapRouter02Address\\) !== null .*'(${hex})'`).exec(text)?.[1]
  const ofAll = entries(text, 'DEFAULT_ADDRESSES')
  const ofChains = [...text.matchAll(/\[ChainId\.(\w+)\]: (\w+_ADDRESSES),/g)].flatMap(
    ([, key = '', table = '']) => {
      const chainId = chainIdOf(key)
      if (chainId === null) return []
      const own = entries(text, table)
      const others = body(text, table).includes('...DEFAULT_ADDRESSES') ? ofAll : []
      const router = own.some((one) => one.key === 'swapRouter02Address') ? [] : [swapRouter ?? '']
      return [
        ...[...others, ...own].flatMap(({ key, address }) =>
          key in roles ? [{ chainId, address, role: roles[key as keyof typeof roles] }] : [],
        ),
        ...router.map((address) => ({ chainId, address, role: 'uniswap-v3 routers' })),
      ]
    },
  )
  return [
    ...byChain(text, 'V2_FACTORY_ADDRESSES', 'uniswap-v2 factory'),
    ...byChain(text, 'V2_ROUTER_ADDRESSES', 'uniswap-v2 router'),
    ...ofChains,
  ]
}

function universalRouter(files: FilesOfPackage): Found[] {
  const chains = textOf(files, 'constants.js')
    .split(/\n {4}\[(?=\d+\]: \{)/)
    .slice(1)
  return chains.flatMap((text) => {
    const chainId = Number.parseInt(text, 10)
    if (!wanted(chainId)) return []
    return [...text.matchAll(new RegExp(`address: '(${hex})'`, 'g'))].map(([, address = '']) => ({
      chainId,
      address,
      role: 'uniswap-v4 routers',
    }))
  })
}

interface TokenList {
  readonly tokens: readonly { chainId: number; address: string; symbol: string }[]
}

function tokenList(files: FilesOfPackage): Found[] {
  const { tokens } = jsonIn<TokenList>(files, 'tokenlist.json')
  return tokens.flatMap(({ chainId, address, symbol }) =>
    wanted(chainId) ? [{ chainId, address, role: `token ${symbol}` }] : [],
  )
}

function aave(files: FilesOfPackage): Found[] {
  const ofChains = Object.entries(chainNames.aave).flatMap(([id, name]) => {
    const chainId = Number(id)
    const feeds = textOf(files, `Chainlink${name}.mjs`)
    const own = textOf(files, `AaveV3${name}.mjs`)
    const stated = (key: string) => new RegExp(`var ${key} = "(${hex})"`).exec(own)?.[1] ?? ''
    return [
      { chainId, address: stated('POOL'), role: 'aave-v3 pool' },
      { chainId, address: stated('STATA_FACTORY'), role: 'erc-4626 stataFactories' },
      ...[...feeds.matchAll(new RegExp(`var (\\w+)__USD = "(${hex})"`, 'g'))].map(
        ([, base = '', address = '']) => ({ chainId, address, role: `feed ${base}` }),
      ),
    ]
  })
  return [...tokenList(files), ...ofChains]
}

function balancer(files: FilesOfPackage): Found[] {
  return Object.entries(chainNames.balancer).flatMap(([id, name]) => {
    const contracts = jsonIn<Record<string, { name: string }>>(files, `addresses/${name}.json`)
    return Object.entries(contracts).flatMap(([address, contract]) => {
      const isFactory =
        /^(Weighted|Stable|MetaStable|StablePhantom|ComposableStable)Pool(2Tokens)?Factory$/
      const roles: Readonly<Record<string, string>> = {
        Vault: 'balancer-v2 vault',
        GaugeController: 'balancer-gauge controller',
        BalancerMinter: 'balancer-gauge minter',
      }
      const role =
        roles[contract.name] ?? (isFactory.test(contract.name) ? 'balancer-v2 factories' : null)
      return role ? [{ chainId: Number(id), address, role }] : []
    })
  })
}

function balancerSdk(files: FilesOfPackage): Found[] {
  const contracts = body(textOf(files, 'index.mjs'), 'balancerV3Contracts')
  const tables = [...contracts.matchAll(/\n {2}(\w+): \{([^}]*)\}/g)]
  return tables.flatMap(([, name = '', table = '']) => {
    const isFactory = /^(Weighted|Stable)PoolFactory$/.test(name)
    const key = name === 'Vault' ? 'vault' : isFactory && 'factories'
    if (!key) return []
    const rows = table.matchAll(new RegExp(`\\[(\\d+) [^\\]]*\\]: "(${hex})"`, 'g'))
    return [...rows].flatMap(([, id, address = '']) => {
      const chainId = Number(id)
      return wanted(chainId) ? [{ chainId, address, role: `balancer-v3 ${key}` }] : []
    })
  })
}

function sushi(files: FilesOfPackage): Found[] {
  const [v2, v3] = [textOf(files, 'sushiswap-v2.js'), textOf(files, 'sushiswap-v3.js')]
  return [
    ...byChain(v2, 'SUSHISWAP_V2_FACTORY_ADDRESS', 'sushiswap-v2 factory'),
    ...byChain(v2, 'SUSHISWAP_V2_ROUTER_ADDRESS', 'sushiswap-v2 router'),
    ...byChain(v3, 'SUSHISWAP_V3_FACTORY_ADDRESS', 'sushiswap-v3 factory'),
    ...byChain(textOf(files, '/uniswap-v3.js'), 'UNISWAP_V3_FACTORY_ADDRESS', 'uniswap-v3 factory'),
  ]
}

function stargate(files: FilesOfPackage): Found[] {
  return Object.entries(chainNames.stargate).flatMap(([id, name]) =>
    stargateContracts.flatMap((contract) => {
      const path = `package/deployments/${name}-mainnet/${contract}.json`
      if (!files.has(path)) return []
      const { address, args } = jsonIn<{ address: string; args: string[] }>(files, path)
      const chainId = Number(id)
      if (contract === 'TokenMessaging') {
        return [
          { chainId, address, role: 'stargate tokenMessaging' },
          { chainId, address: args[0] ?? '', role: 'stargate endpoint' },
        ]
      }
      const symbol = contract === 'StargatePoolNative' ? 'ETH' : contract.slice(-4).replace('l', '')
      const asset = symbol.endsWith('ETH') ? 'ETH' : symbol
      const token = addressOf(args[2]) ?? '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
      return [
        { chainId, address, role: `stargate pool ${asset}` },
        { chainId, address: token, role: `stargate token ${asset}` },
      ]
    }),
  )
}

function across(files: FilesOfPackage): Found[] {
  type Contracts = Record<string, Record<string, { address: string }>>
  const pools = Object.entries(jsonIn<Contracts>(files, 'deployments.json')).flatMap(
    ([id, { SpokePool }]) => {
      const chainId = Number(id)
      if (!SpokePool || !wanted(chainId)) return []
      return [{ chainId, address: SpokePool.address, role: 'across spokePool' }]
    },
  )
  const routers = textOf(files, 'consts.js')
    .split(/\[utils_1\.CHAIN_IDs\.(?=\w+\]: \{)/)
    .slice(1)
  const swaps = routers.flatMap((text) => {
    const chainId = chainIdOf(/^\w+/.exec(text)?.[0] ?? '')
    const address = new RegExp(`uniswapV3SwapRouter: "(${hex})"`).exec(text)?.[1]
    return chainId === null || !address ? [] : [{ chainId, address, role: 'uniswap-v3 routers' }]
  })
  return [...pools, ...swaps]
}

function acrossTokens(files: FilesOfPackage): Found[] {
  const tokens = textOf(files, 'tokens.js').matchAll(
    /\n {8}symbol: "([^"]+)",[\s\S]*?addresses: \{([\s\S]*?)\}/g,
  )
  return [...tokens].flatMap(([, symbol = '', addresses = '']) =>
    [...addresses.matchAll(new RegExp(`CHAIN_IDs\\.(\\w+)\\]: "(${hex})"`, 'g'))].flatMap(
      ([, key = '', address = '']) => {
        const chainId = chainIdOf(key)
        if (chainId === null) return []
        return [
          { chainId, address, role: `token ${symbol}` },
          { chainId, address, role: `across token ${symbol.replace(/-BNB$/, '')}` },
        ]
      },
    ),
  )
}

function enzyme(files: FilesOfPackage): Found[] {
  const comptroller = new RegExp(`compoundComptroller: "(${hex})"`)
  const assets = Object.entries(chainNames.enzyme).flatMap(([id, name]) =>
    textOf(files, `assets/${name}.js`)
      .split(/\n\}, \{\n/)
      .flatMap((text) => {
        const field = (key: string) => new RegExp(`(?:^|\\n) {2}${key}: "([^"]+)"`).exec(text)?.[1]
        const [address, symbol] = [field('id'), field('symbol')]
        if (!address || !symbol) return []
        const isComet = text.includes('type: AssetType.COMPOUND_V3')
        const role = isComet ? 'compound-v3 comets' : `token ${symbol}`
        return [{ chainId: Number(id), address, role }]
      }),
  )
  const address = comptroller.exec(textOf(files, 'deployments/ethereum.js'))?.[1] ?? ''
  return [{ chainId: 1, address, role: 'compound-v2 comptroller' }, ...assets]
}

function curve(files: FilesOfPackage): Found[] {
  const aliasesOf = (name: string) =>
    textOf(files, 'network_constants.js').split(`ALIASES_${name} = `)[1]?.split('});')[0] ?? ''
  const controller = addressOf(aliasesOf('ETHEREUM').split('"gauge_controller":')[1])
  const minter = addressOf(aliasesOf('ETHEREUM').split('"minter":')[1])
  const factories = {
    factory: 'stableFactory',
    stable_ng_factory: 'stableNgFactory',
    crypto_factory: 'cryptoFactory',
    twocrypto_factory: 'twocryptoFactory',
    tricrypto_factory: 'tricryptoFactory',
  }
  const ofFactories = Object.entries(chainNames.curve).flatMap(([id, name]) =>
    Object.entries(factories).flatMap(([alias, parameter]) => {
      const address = addressOf(aliasesOf(name).split(`"${alias}":`)[1])
      return address ? [{ chainId: Number(id), address, role: `curve ${parameter}` }] : []
    }),
  )
  const pools = textOf(files, 'pools/ethereum.js').split('swap_address:').slice(1)
  const own = Object.entries({ controller, minter }).flatMap(([key, address]) =>
    address ? [{ chainId: 1, address, role: `curve-gauge ${key}` }] : [],
  )
  const ofPools = pools.flatMap((text) => {
    const [pool, zap] = [addressOf(text), addressOf(text.split('deposit_address:')[1])]
    return [pool, zap].flatMap((address) =>
      address ? [{ chainId: 1, address, role: 'curve zaps' }] : [],
    )
  })
  return [...own, ...ofFactories, ...ofPools]
}

function morpho(files: FilesOfPackage): Found[] {
  const tables = textOf(files, 'addresses.js').split(/\n {4}\[ChainId\.(?=\w+\]: \{)/)
  const roles = { blue: 'morpho-blue morpho', metaMorphoFactory: 'erc-4626 factories' }
  return tables.slice(1).flatMap((table) => {
    const chainId = chainIdOf(/^\w+/.exec(table)?.[0] ?? '')
    return Object.entries(roles).flatMap(([key, role]) => {
      const address = new RegExp(`\\b${key}: "(${hex})"`).exec(table)?.[1]
      return chainId === null || !address ? [] : [{ chainId, address, role }]
    })
  })
}

const pendleRoles = [
  ['router', /^router$/],
  ['factories', /^marketFactoryV\d+$/],
  ['yieldFactories', /^yieldContractFactoryV\d+$/],
] as const

/** Factories of the first version tell of markets by another event. */
function pendle(files: FilesOfPackage): Found[] {
  return pendleChains.flatMap((chainId) => {
    const stated = jsonIn<Record<string, unknown>>(files, `/${chainId}-core.json`)
    return Object.entries(stated).flatMap(([key, address]) => {
      const [role] = pendleRoles.find(([, pattern]) => pattern.test(key)) ?? []
      if (typeof address !== 'string' || !role) return []
      return [{ chainId, address, role: `pendle ${role}` }]
    })
  })
}

export const readers: Readonly<Record<AddressPackage, (files: FilesOfPackage) => Found[]>> = {
  uniswap,
  universalRouter,
  tokenList,
  aave,
  balancer,
  balancerSdk,
  sushi,
  stargate,
  across,
  acrossTokens,
  enzyme,
  curve,
  morpho,
  pendle,
  pancakeV2: (files) =>
    byChain(textOf(files, 'index.mjs'), 'FACTORY_ADDRESS_MAP', 'pancakeswap-v2 factory'),
  pancakeV3: (files) =>
    byChain(textOf(files, 'index.mjs'), 'FACTORY_ADDRESSES', 'pancakeswap-v3 factory'),
  pancakeRouters: (files) => {
    const text = textOf(files, '.mjs')
    return [
      ...byChain(text, 'SMART_ROUTER_ADDRESSES', 'pancakeswap-v3 routers'),
      ...byChain(text, 'V2_ROUTER_ADDRESS', 'pancakeswap-v2 router'),
    ]
  },
}
