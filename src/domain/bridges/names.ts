/** Names by which requests and paths call bridges; several may be one bridge, and not each is installed. */
export const bridgeNames = [
  'across',
  'stargate',
  'layerzero',
  'cctp',
  'canonical',
  'ccip',
  'relay',
] as const

export type BridgeName = (typeof bridgeNames)[number]
