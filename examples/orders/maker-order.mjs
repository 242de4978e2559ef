/** What a maker signs: an order in forkroute's own format, as viem's signTypedData takes it. */

/** The contract that settles orders; the maker allows it to spend tokenOut. */
export const settlement = '0x3252282a4dfafce09d67e2f5ce18619c37df026d'

export function typedOrder(chainId, order) {
  return {
    domain: { name: 'Forkroute Orders', version: '1', chainId, verifyingContract: settlement },
    types: {
      MakerOrder: [
        { name: 'maker', type: 'address' },
        { name: 'tokenIn', type: 'address' },
        { name: 'tokenOut', type: 'address' },
        { name: 'amountIn', type: 'uint256' },
        { name: 'amountOut', type: 'uint256' },
        { name: 'expiry', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'partialFill', type: 'bool' },
      ],
    },
    primaryType: 'MakerOrder',
    message: order,
  }
}
