/** What a sender signs in place of an allowance: docs/how-to/permits.md. */

/** An EIP-712 message as JSON: numbers are decimal strings. */
export interface PermitTypedData {
  readonly domain: Readonly<Record<string, unknown>>
  readonly types: Readonly<
    Record<string, readonly { readonly name: string; readonly type: string }[]>
  >
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

/** Where the signature stands in call data: offsets of its parts in bytes; r and s take 32 of them, v one. */
export interface SignaturePlace {
  readonly r: number
  readonly s: number
  readonly v: number
}

/** What the sender signs, and where the signature goes; until then a stand-in is there. */
export interface RoutePermit {
  readonly kind: 'eip2612' | 'permit2'
  readonly typedData: PermitTypedData
  readonly signature: SignaturePlace
}
