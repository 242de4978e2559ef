/** Contracts with the swaps and the storage of Algebra's pools, on Uniswap's own libraries: no package has the version that Camelot runs. */
import { readFileSync } from 'node:fs'
import { compilePackage } from './package-sources.js'

const path = 'fixtures/test-contracts/AlgebraLike.sol'

export const compileAlgebraLike = () =>
  compilePackage({
    compiler: {
      name: 'solc',
      version: '0.7.6',
      integrity:
        'sha512-WsR/W7CXwh2VnmZapB4JrsDeLlshoKBz5Pz/zYNulB6LBsOEHI2Zj/GeKLMFcvv57OHiXHvxq5ZOQB+EdqxlxQ==',
    },
    folders: [
      {
        name: '@uniswap/v3-core',
        version: '1.0.1',
        integrity:
          'sha512-7pVk4hEm00j9tc71Y9+ssYpO6ytkeI0y7WE9P6UcmNzhxPePwyAxImuhVsTqWK9YFvzgtvzJHi64pBl4jUzKMQ==',
        folder: 'package/',
        prefix: '@uniswap/v3-core/',
      },
    ],
    own: { path, content: readFileSync(path, 'utf8') },
    contracts: { AlgebraLikeFactory: path, AlgebraLikePool: path, AlgebraLikeQuoter: path },
    edits: [],
    settings: { optimizer: { enabled: true, runs: 200 } },
  })
