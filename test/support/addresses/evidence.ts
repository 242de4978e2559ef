/** What each protocol's quotes and actions were carried out on, for docs/reference/coverage.md. */
import type { Evidence } from './coverage.js'

const integration = (...names: readonly string[]) =>
  names.map((name) => `test/integration/protocols/${name}.itest.ts`)
const slow = (name: string) => `test/integration/protocols/${name}.slow.ts`
const exchange = (name: string) => [`test/integration/exchanges/${name}.slow.ts`]
const swaps = integration('uniswap-swaps')

export const evidence: Readonly<Record<string, Evidence>> = {
  'uniswap-v2': { on: 'bytecode', isOnMainnet: true, tests: swaps },
  'sushiswap-v2': { on: 'bytecode', tests: swaps },
  'pancakeswap-v2': { on: 'bytecode', tests: swaps, except: 'its part of the growth of shares' },
  'uniswap-v3': { on: 'bytecode', isOnMainnet: true, tests: swaps },
  'sushiswap-v3': { on: 'bytecode', tests: swaps },
  'pancakeswap-v3': {
    on: 'bytecode',
    isOnMainnet: true,
    tests: swaps,
    except: 'its deployer, which is ours',
  },
  'uniswap-v4': { on: 'bytecode', isOnMainnet: true, tests: ['test/e2e/routes/venues.e2e.ts'] },
  'pancakeswap-infinity-cl': {
    on: 'arithmetic',
    tests: [...exchange('pancakeswap-infinity'), 'test/e2e/chains/infinity.slow.ts'],
    except: 'pools whose hooks take part in swaps',
  },
  'pancakeswap-infinity-bin': {
    on: 'arithmetic',
    tests: [...exchange('pancakeswap-infinity'), 'test/e2e/chains/infinity.slow.ts'],
    except: 'pools whose hooks take part in swaps',
  },
  'aerodrome-v1': { on: 'bytecode', tests: exchange('velodrome-v2') },
  'velodrome-v2': { on: 'bytecode', tests: exchange('velodrome-v2'), except: 'on Optimism' },
  'aerodrome-slipstream': { on: 'bytecode', tests: exchange('slipstream') },
  'velodrome-slipstream': { on: 'bytecode', tests: exchange('slipstream'), except: 'on Optimism' },
  'camelot-v2': { on: 'arithmetic', tests: exchange('camelot-v2') },
  'camelot-v3': {
    on: 'arithmetic',
    tests: [...exchange('camelot-v3'), ...exchange('algebra')],
    except: 'its formula of fees (the adapter runs on the bytecode of V1, too)',
  },
  'quickswap-v3': { on: 'bytecode', tests: exchange('algebra') },
  'thena-fusion-v1': {
    on: 'bytecode',
    tests: exchange('algebra'),
    except: 'its own version, which splits fees in another way',
  },
  'lynex-fusion-v1': {
    on: 'arithmetic',
    tests: [...exchange('camelot-v3'), ...exchange('algebra')],
    except: 'its formula of fees (the adapter runs on the bytecode of V1, too)',
  },
  'camelot-v4': {
    on: 'bytecode',
    tests: [...exchange('algebra'), 'test/e2e/routes/other-venues.slow.ts'],
    except: 'its release of Integral 1.2, and its plugins',
  },
  'swapx-v1': { on: 'bytecode', tests: exchange('algebra'), except: 'its plugins' },
  'fluid-dex-t1': {
    on: 'arithmetic',
    tests: [...exchange('fluid-dex'), 'test/e2e/bundles/actions.slow.ts'],
    except: 'how reserves and limits come about, which Fluid’s resolver is asked',
  },
  'fluid-dex-lite': {
    on: 'arithmetic',
    tests: [...exchange('fluid-dex-lite'), 'test/e2e/chains/fluid-dex-lite.slow.ts'],
    except: 'how contracts that tell a price are found, which Fluid’s resolver does',
  },
  'liquidity-book': { on: 'arithmetic', tests: exchange('liquidity-book'), except: 'on Avalanche' },
  'balancer-v2': {
    on: 'bytecode',
    tests: [...integration('balancer-v2', 'balancer-positions'), slow('balancer-liquidity')],
  },
  'balancer-v3': {
    on: 'bytecode',
    tests: [
      ...exchange('balancer-v3'),
      'test/e2e/routes/balancer-v3.slow.ts',
      'test/e2e/pool-index/boosted.slow.ts',
    ],
    except:
      'pools of earlier versions, whose formula is ours on the same libraries; the Vault’s buffers are not used',
  },
  curve: {
    on: 'bytecode',
    isOnMainnet: true,
    tests: [
      ...integration('curve-stable', 'curve-liquidity', 'curve-positions'),
      'test/e2e/pool-index/curve.slow.ts',
    ],
    except: 'kinds of pools that neither the old one of the package nor the recorded ones are',
  },
  'erc-4626': {
    on: 'bytecode',
    tests: [
      ...integration('erc-4626', 'erc-4626-positions'),
      slow('erc-4626-registry'),
      'test/e2e/positions/any-vault.slow.ts',
      'test/e2e/positions/factory-vaults.slow.ts',
      'test/e2e/pool-index/boosted.slow.ts',
    ],
    except:
      'the vaults that are named, Yearn V3’s registry, MetaMorpho’s factories, and Aave’s static tokens, which are ours with the arithmetic of their source',
  },
  pendle: {
    on: 'bytecode',
    tests: [...exchange('pendle'), 'test/e2e/pool-index/pendle.slow.ts'],
    except: 'markets of earlier versions, and SYs other than one of a vault',
  },
  'yearn-v2': { on: 'bytecode', tests: integration('yearn-v2') },
  'staking-rewards': { on: 'bytecode', tests: integration('staking-rewards') },
  'curve-gauge': {
    on: 'bytecode',
    tests: [...integration('liquidity-gauge'), 'test/e2e/positions/gauges.slow.ts'],
    except:
      'Curve’s own contracts: controller and gauge are Balancer’s of the same code, the minter and the first two versions are ours',
  },
  'balancer-gauge': {
    on: 'bytecode',
    tests: [...integration('liquidity-gauge'), 'test/e2e/positions/gauges.slow.ts'],
    except: 'who may mint BAL, and boosts',
  },
  'compound-v2': { on: 'bytecode', tests: integration('compound-v2') },
  'compound-v3': { on: 'arithmetic', tests: integration('compound-v3') },
  'aave-v3': { on: 'bytecode', tests: integration('aave-v3') },
  'spark-lend': { on: 'bytecode', tests: integration('spark-lend'), except: 'Spark’s own market' },
  lido: { on: 'arithmetic', tests: integration('lido', 'lido-positions') },
  'rocket-pool': { on: 'arithmetic', tests: integration('converters') },
  'ether-fi': { on: 'arithmetic', tests: integration('converters') },
  'frax-ether': { on: 'arithmetic', tests: integration('converters') },
  sky: {
    on: 'arithmetic',
    tests: integration('converters'),
    except: 'its source, which was not read',
  },
  'sky-psm': {
    on: 'arithmetic',
    tests: [slow('sky-psm'), 'test/e2e/chains/swaps-at-par.slow.ts'],
    except: 'Sky’s ledger, which burns and issues DAI and USDS',
  },
  'spark-psm3': {
    on: 'arithmetic',
    tests: [slow('spark-psm3'), 'test/e2e/chains/swaps-at-par.slow.ts'],
  },
  'aave-gsm': {
    on: 'arithmetic',
    tests: [slow('aave-gsm'), 'test/e2e/chains/aave-gsm.slow.ts'],
    except: 'Aave’s reserve behind the vaults',
  },
  'woofi-v2': {
    on: 'arithmetic',
    tests: ['test/e2e/chains/woofi.slow.ts'],
    except: 'its oracle’s comparison with Chainlink',
  },
  'dodo-v2': {
    on: 'arithmetic',
    tests: ['test/e2e/pool-index/dodo-v2.slow.ts'],
    except: 'its models of fees, which the pools ask',
  },
  'euler-swap': {
    on: 'arithmetic',
    tests: ['test/e2e/pool-index/euler-swap.slow.ts'],
    except: 'Euler’s own vaults and connector, and hooks other than of fees',
  },
  'maverick-v2': {
    on: 'arithmetic',
    tests: ['test/e2e/pool-index/maverick-v2.slow.ts'],
    except: 'prices of ticks, and liquidity that follows the price',
  },
  wombat: {
    on: 'arithmetic',
    tests: ['test/e2e/chains/wombat.slow.ts'],
    except: 'deposits, and what becomes of its fees',
  },
  llamalend: {
    on: 'arithmetic',
    tests: ['test/e2e/pool-index/llamalend.slow.ts'],
    except: 'loans, which fill and empty the bands, and the administrator’s part of fees',
  },
  'morpho-blue': { on: 'bytecode', tests: integration('morpho-blue') },
  'wrapped-native': { on: 'bytecode', tests: ['test/e2e/bundles/wrapped-native.slow.ts'] },
}
