/** What Stargate V2's pools have beside an OFT. */
import { parseAbi } from 'viem'

export const poolAbi = parseAbi(['function status() view returns (uint8)'])
