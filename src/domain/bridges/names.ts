/** Names by which requests and paths call bridges; several may be one bridge, one may be several, and not each is installed. */
export const bridgeNames = [
  'across',
  'stargate',
  'layerzero',
  'oft',
  'cctp',
  'canonical',
  'ccip',
  'relay',
] as const

export type BridgeName = (typeof bridgeNames)[number]
