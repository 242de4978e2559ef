/** The manager of Uniswap V3's positions, at its mainnet address; positions are for whoever uses the sandbox to make. */
import { parseAbiParameters } from 'viem'
import { ethereum } from '../../chains/ethereum.js'
import { contractAddresses as at } from '../addresses.js'
import { placeContracts } from '../chain/placement.js'
import type { SandboxVenue } from './venue.js'

/** Draws the pictures of NFTs: only the address matters, nothing of it is called. */
const descriptor = '0x91ae842a5ffd8d12023116943e72a606179294f3'

export const uniswapV3Positions: SandboxVenue = {
  open: ({ chain, deployer, code }) =>
    placeContracts(chain, deployer, [
      {
        address: at.v3PositionManager,
        creationCode: code('v3PositionManager'),
        types: parseAbiParameters('address factory, address weth, address descriptor'),
        args: [at.v3Factory, ethereum.wrappedNative, descriptor],
      },
    ]),
}
