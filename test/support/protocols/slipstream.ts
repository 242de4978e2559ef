/** Slipstream's contracts: Aerodrome's own sources, which a package ships, compiled by the compiler of their repository. */
import { aerodromeSources } from './aerodrome.js'
import { compilePackage } from './package-sources.js'

const core = 'contracts/contracts/core'

export const compileSlipstream = () =>
  compilePackage({
    compiler: {
      name: 'solc',
      version: '0.7.6',
      integrity:
        'sha512-WsR/W7CXwh2VnmZapB4JrsDeLlshoKBz5Pz/zYNulB6LBsOEHI2Zj/GeKLMFcvv57OHiXHvxq5ZOQB+EdqxlxQ==',
    },
    folders: [
      {
        ...aerodromeSources,
        folder: 'package/domains/aerodrome-slipstream/',
        prefix: 'contracts/',
      },
    ],
    contracts: {
      CLPool: `${core}/CLPool.sol`,
      CLFactory: `${core}/CLFactory.sol`,
      CustomSwapFeeModule: `${core}/fees/CustomSwapFeeModule.sol`,
      DynamicSwapFeeModule: `${core}/fees/DynamicSwapFeeModule.sol`,
    },
    edits: [],
    settings: { optimizer: { enabled: true, runs: 200 } },
  })
